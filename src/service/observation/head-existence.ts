import type { CodeHost } from "../../ports/code-host/code-host.ts";
import type { QueueRecord } from "../../ports/queue-store.ts";
import type { TargetStore } from "../../ports/target-store.ts";
import { type Outcome, refused } from "../outcome.ts";
import { type Directory, installed } from "../queue/directory.ts";
import type { QueueReach } from "../queue/queue-reach.ts";
import type { QueueRuntime } from "../queue/queue-runtime.ts";
import { isCodeHostFailure } from "../tasks/retry.ts";

export interface HeadExistenceParts {
  readonly runtime: QueueRuntime;
  readonly directory: Directory;
  readonly targets: Pick<TargetStore, "has">;
  readonly reach: Pick<QueueReach, "suspect">;
}

/** Distinguishes heads that cannot exist from heads that are not known yet. */
export class HeadExistence {
  readonly #parts: HeadExistenceParts;

  constructor(parts: HeadExistenceParts) {
    this.#parts = parts;
  }

  /**
   * Refuses a pull request that does not exist, and a head that is no commit of the repository. A head that
   * is not known locally is looked up at the code host. If that does not answer, nothing is refused, because
   * an upload may not be repeated.
   */
  async check(queue: QueueRecord, pr: number, sha: string): Promise<Outcome<never> | null> {
    if (await this.#isKnown(queue, pr, sha)) return null;
    const { directory, reach } = this.#parts;
    const { codeHost } = directory;
    try {
      const pull = await codeHost.readPullRequest(installed(queue), pr);
      // While the App does not see the repository, no pull request exists for it.
      if (!pull) return (await reach.suspect(queue.id)) ? null : refused({ code: "PR_NOT_FOUND", pr });
      // Uploads for an earlier head of the pull request are accepted, too.
      const exists = pull.headSha === sha || (await hasCommit(codeHost, queue, pull.headSha, sha));
      return exists ? null : refused({ code: "HEAD_NOT_FOUND", pr, sha });
    } catch (error) {
      if (isCodeHostFailure(error)) return null;
      throw error;
    }
  }

  async #isKnown({ id, repo }: QueueRecord, pr: number, sha: string): Promise<boolean> {
    const { runtime, targets } = this.#parts;
    const entry = (await runtime.state(id)).entries.get(pr);
    return entry?.headSha === sha || (await targets.has(repo, pr, sha));
  }
}

async function hasCommit(
  codeHost: CodeHost,
  queue: QueueRecord,
  headSha: string,
  sha: string,
): Promise<boolean> {
  try {
    await codeHost.compareHead(installed(queue), headSha, sha);
    return true;
  } catch (error) {
    if (isCodeHostFailure(error) && error.kind === "not_found") return false;
    throw error;
  }
}
