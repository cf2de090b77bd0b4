import type { Octokit } from "@octokit/rest";

/** A repository, by the names of GitHub's API. */
export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** GitHub's API, as an installation of the App may use it in one repository. */
export interface RepositoryApi {
  readonly octokit: Octokit;
  readonly at: Repository;
}
