import type { Octokit } from "@octokit/rest";
import { statusOf } from "../../src/github/client/code-host-error.ts";
import type { Repository } from "../../src/github/client/repository-api.ts";
import { LiveRefusal } from "./live-refusal.ts";

/** With this file on the default branch, people allow `live` to create and delete in the repository. */
export const marker = ".trainyard-live";

/** @throws LiveRefusal unless people with write access have marked the repository as one to try things on */
export async function checkConsent(github: Octokit, at: Repository): Promise<void> {
  const name = `${at.owner}/${at.repo}`;
  const { data } = await github.rest.repos.get({ ...at });
  if (data.archived)
    throw new LiveRefusal(
      "REPOSITORY_ARCHIVED",
      `${name} is archived. Name a repository that can be written to.`,
    );
  try {
    await github.rest.repos.getContent({ ...at, path: marker });
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    throw new LiveRefusal(
      "MARKER_MISSING",
      `${name} has no file ${marker} on ${data.default_branch}. Commit an empty one to allow live to create and delete branches, pull requests, comments and rulesets there. Use a repository that is there for nothing else.`,
    );
  }
}
