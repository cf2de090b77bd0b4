import type { CodeHost } from "../../ports/code-host/code-host.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { OutdatedReading } from "../observation/readings.ts";

import { installed } from "../runtime/directory.ts";
import { accepted, type Outcome, refused } from "../runtime/outcome.ts";
import { isCodeHostFailure } from "../workers/retry.ts";
import { answeringOutages, readInTime } from "./answering-outages.ts";

/** Finds the heads that uploads are about. */
export class HeadExistence {
  readonly #context: ObservationContext;

  constructor(context: ObservationContext) {
    this.#context = context;
  }

  /** Returns the named head, or the current one if `headSha` is null. Refuses heads that cannot exist, unless the upload is proven. */
  async find(
    queue: QueueRecord,
    { pr, headSha, isProven }: { pr: number; headSha: string | null; isProven: boolean },
  ): Promise<Outcome<string>> {
    if (headSha === null) return answeringOutages(() => readInTime(() => this.#readPresent(queue, pr)));
    const missing = isProven ? null : await this.#check(queue, pr, headSha);
    return missing ?? accepted(headSha);
  }

  async #readPresent(queue: QueueRecord, pr: number): Promise<Outcome<string>> {
    const { clock, directory, reach, readings, runtime } = this.#context;
    const repo = installed(queue);
    const askedAt = clock.now();
    const pullRequest = await directory.codeHost.readPullRequest(repo, pr);
    if (!pullRequest) {
      if (await reach.suspect(queue.id)) throw new OutdatedReading(`GitHub does not show #${pr}`);
      return refused({ code: "PR_NOT_FOUND", pr });
    }
    const entry = (await runtime.state(queue.id)).entries.get(pr);
    await readings.pulls.expectNews({ repo, pullRequest, askedAt, entry });
    return accepted(pullRequest.headSha);
  }

  /**
   * Refuses a pull request that does not exist, and a head that is no commit of the repository. A head that is not known locally is looked
   * up at the code host. If the code host does not answer, nothing is refused, because clients may not repeat an upload.
   */
  async #check(queue: QueueRecord, pr: number, sha: string): Promise<Outcome<never> | null> {
    if (await this.#isKnown(queue, pr, sha)) return null;
    const { directory, reach } = this.#context;
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
    const { runtime, stores } = this.#context;
    const entry = (await runtime.state(id)).entries.get(pr);
    return entry?.headSha === sha || (await stores.targets.has(repo, pr, sha));
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
