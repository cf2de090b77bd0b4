import { evaluateChecks } from "../../engine/model/checks/required-checks.ts";
import type { Entry } from "../../engine/model/entry.ts";
import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import type { FailedCheck } from "../../engine/reasons/reason.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { ConflictDetails } from "../../ports/code-host/merging.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import { isCodeHostFailure, messageOf } from "../workers/retry.ts";

/** What helps the author of a failed pull request, besides the reason that the engine recorded. */
export interface FailureEvidence {
  /** The pull requests below it in the failed test. */
  readonly below: readonly number[];
  /** The names of the failed checks that passed on its head. */
  readonly passedAlone: readonly string[];
  /** The names of the tests that failed and were not forgiven, if reports of the failed test say so; known flaky tests last. */
  readonly failedTests: readonly string[];
  /** Null when the failure was not a conflict, or nothing is known about the conflict. */
  readonly conflict: ConflictDetails | null;
}

/** Collects evidence when an entry has failed. Asks the code host at most four times. */
export class FailureEvidenceReader {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /** Null when there is no evidence. */
  async read(queue: QueueRecord, entry: Entry): Promise<FailureEvidence | null> {
    const { state, reason } = entry;
    const isOfInterest = reason.code === "CHECKS_FAILED" || reason.code === "MERGE_CONFLICT_WITH_BASE";
    if (state !== "failed" || !isOfInterest) return null;
    const at = installed(queue);
    try {
      if (reason.code === "CHECKS_FAILED") {
        const run = await this.#runOf(queue, entry);
        return {
          below: run
            ? [...run.ahead, ...run.members.slice(0, Math.max(0, run.members.indexOf(entry.pr)))]
            : [],
          passedAlone: await this.#passedAlone(at, entry, reason.checks),
          failedTests: await this.#failedTests(queue, run),
          conflict: null,
        };
      }
      const conflict = await this.#context.directory.codeHost.conflictDetails(
        at,
        queue.branch,
        entry.headSha,
      );
      return { below: [], passedAlone: [], failedTests: [], conflict };
    } catch (error) {
      // The author must be told of the failure even without the evidence.
      if (!isCodeHostFailure(error)) throw error;
      this.#context.log.warn(
        { err: error, pr: entry.pr },
        `explained a failure only briefly: ${messageOf(error)}`,
      );
      return null;
    }
  }

  async #runOf({ id }: QueueRecord, { runId }: Entry): Promise<TestRun | null> {
    return runId === null ? null : ((await this.#context.stores.queues.findRun(id, runId))?.run ?? null);
  }

  async #failedTests({ repo }: QueueRecord, run: TestRun | null): Promise<readonly string[]> {
    const { stores, clock } = this.#context;
    const sha = run && testedSha(run);
    const reports = sha === null ? [] : await stores.testReads.reportsOn(repo, sha, clock.now(), false);
    // A job that failed runs in each later attempt, too.
    const latest = reports.filter(({ runId, runAttempt }) =>
      reports.every((other) => other.runId !== runId || other.runAttempt <= runAttempt),
    );
    const failed = latest.flatMap(({ verdict, failed }) => (verdict === "quarantined" ? [] : failed));
    const others = failed.filter(({ isKnownFlaky }) => !isKnownFlaky);
    return [...new Set([...others, ...failed].map(({ name }) => name))];
  }

  async #passedAlone(
    at: InstalledRepository,
    { headSha }: Entry,
    failures: readonly FailedCheck[],
  ): Promise<readonly string[]> {
    const names = [...new Set(failures.map(({ name }) => name))];
    const asked = names.map((name) => ({ name, appId: null }));
    const { checks } = await this.#context.directory.codeHost.readChecks(at, headSha, asked);
    const { failed, pending, missing } = evaluateChecks(asked, checks);
    const open = new Set([...failed.map(({ name }) => name), ...pending, ...missing]);
    return names.filter((name) => !open.has(name));
  }
}
