import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { sourceOf } from "../../detection/pull-requests.ts";
import type { StoredUpload } from "../../store/uploads/stored-uploads.ts";
import type { TestContext } from "../test-context.ts";
import { BranchLines } from "../uploads/branch-lines.ts";
import type { FindChanges } from "./evaluate-uploads.ts";

/** The code host is asked about each pull request. A run with more of them has unknown changes. */
const mostPullRequests = 10;
const mostRemembered = 1_000;
/** Enough to tell commits of one repository apart. */
const shortSha = 12;

/** Finds what uploads contain that is on no stable branch: their pull requests, first commits and trees. */
export class UploadChanges {
  readonly #context: TestContext;
  readonly #lines: BranchLines;
  /** First commits by repository, line and head. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(context: TestContext) {
    this.#context = context;
    this.#lines = new BranchLines(context);
  }

  of(repo: RepositoryRef): FindChanges {
    return async (upload) => {
      const { kind, pr, line, branch, headSha, treeSha } = upload;
      if (kind === "stable") return [];
      const heads = kind === "pr" ? [{ pr, headSha }] : await this.#lines.testedOn(repo, branch);
      if (heads?.length === 0) return [];
      if (!heads || heads.length > mostPullRequests || line === "") return null;
      const changes = [treeSha.slice(0, shortSha)];
      for (const head of heads) {
        const first = await this.#firstCommits(repo, upload, head.headSha);
        if (first === null) return null;
        changes.push(sourceOf({ kind: "pr", pr: head.pr, branch, treeSha }).name, ...first);
      }
      return changes;
    };
  }

  /** Null when the code host does not tell. */
  async #firstCommits(
    repo: RepositoryRef,
    { repositoryId, line }: StoredUpload,
    headSha: string,
  ): Promise<readonly string[] | null> {
    const { directory, log } = this.#context;
    const key = JSON.stringify([repositoryId, line, headSha]);
    const known = this.#known.get(key);
    if (known) return known;
    try {
      const place = await directory.findInstalled(repo);
      if (place === null) return null;
      const commits = await directory.codeHost.firstCommits(place, line, headSha);
      const first = commits.map((sha) => sha.slice(0, shortSha));
      if (this.#known.size >= mostRemembered) this.#known.clear();
      this.#known.set(key, first);
      return first;
    } catch (error) {
      log.warn(
        { err: error, repo, headSha, code: "CHANGES_UNKNOWN" },
        "could not read the commits of a pull request; flaky results there are no evidence for others",
      );
      return null;
    }
  }
}
