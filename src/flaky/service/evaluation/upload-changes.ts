import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { isDenial } from "../../../service/workers/retry.ts";
import { sourceOf } from "../../detection/pull-requests.ts";
import type { StoredUpload } from "../../store/uploads/stored-uploads.ts";
import type { TestContext } from "../test-context.ts";
import { BranchLines } from "../uploads/branch-lines.ts";
import type { FindChanges } from "./evaluate-uploads.ts";

/** The code host is asked about each pull request. The changes of a run with more of them count as unknown. */
const mostPullRequests = 10;
const mostRemembered = 1_000;
const silenceMs = 5 * 60_000;
/** The number of digits that distinguish the commits of one repository. */
const shortSha = 12;

/** Finds the changes of uploads that are on no stable branch: their pull requests, first commits and trees. */
export class UploadChanges {
  readonly #context: TestContext;
  readonly #lines: BranchLines;
  /** First commits by repository, line and head; null = the code host does not know them. */
  readonly #known = new Map<string, readonly string[] | null>();
  /** Until this time, the code host is not asked: it did not answer, and evaluation must not wait for it at each upload. */
  #silentUntil = 0;

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

  /** Null when the code host does not answer. */
  async #firstCommits(
    repo: RepositoryRef,
    { repositoryId, line }: StoredUpload,
    headSha: string,
  ): Promise<readonly string[] | null> {
    const { directory, log, clock } = this.#context;
    const key = JSON.stringify([repositoryId, line, headSha]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (clock.now() < this.#silentUntil) return null;
    try {
      const place = await directory.findInstalled(repo);
      if (place === null) return null;
      const commits = await directory.codeHost.firstCommits(place, line, headSha);
      return this.#remember(
        key,
        commits.map((sha) => sha.slice(0, shortSha)),
      );
    } catch (error) {
      log.warn(
        { err: error, repo, headSha, code: "CHANGES_UNKNOWN" },
        "could not read the commits of a pull request; flaky results there are no evidence for others",
      );
      if (isDenial(error)) return this.#remember(key, null);
      this.#silentUntil = clock.now() + silenceMs;
      return null;
    }
  }

  #remember(key: string, commits: readonly string[] | null): readonly string[] | null {
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(key, commits);
    return commits;
  }
}
