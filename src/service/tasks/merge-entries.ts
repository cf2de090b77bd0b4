import type { MergeAttempt, MergeOutcome, MergeStep, MergeStop } from "../../engine/model/merge-attempt.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { OutboxRow, Task } from "../../ports/outbox.ts";
import type { FreezeWatcher } from "../observation/freeze-watcher.ts";
import { OlderReading } from "../observation/older-reading.ts";
import type { Readings } from "../observation/readings.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import { type Directory, installed } from "../queue/directory.ts";
import type { QueueReach } from "../queue/queue-reach.ts";
import type { QueueRuntime } from "../queue/queue-runtime.ts";
import { CommitMessages } from "./commit-messages.ts";
import { DurableMergeGate } from "./merge-gate.ts";
import { isCodeHostFailure, isLasting, type TaskHistory } from "./retry.ts";
import type { TaskResult } from "./task-executor.ts";

/** Carries out the ordered merge, and reports the outcome to the engine. */
export class MergeExecutor {
  readonly #runtime: QueueRuntime;
  readonly #directory: Directory;

  readonly #reach: Pick<QueueReach, "suspectFailure">;
  readonly #readings: Readings;

  readonly #messages: CommitMessages;
  readonly #freezes: Pick<FreezeWatcher, "look">;

  constructor(
    runtime: QueueRuntime,
    directory: Directory,
    files: RepositoryFiles,
    reach: Pick<QueueReach, "suspectFailure">,
    readings: Readings,
    freezes: Pick<FreezeWatcher, "look">,
  ) {
    this.#freezes = freezes;
    this.#messages = new CommitMessages(directory.codeHost, files);
    this.#reach = reach;
    this.#readings = readings;
    this.#runtime = runtime;
    this.#directory = directory;
  }

  async merge({ queueId, attemptId }: Extract<Task, { type: "merge" }>, row: OutboxRow): Promise<TaskResult> {
    const state = await this.#runtime.state(queueId);
    const attempt = state.merge;
    if (attempt?.id !== attemptId) return "done";
    const titles = new Map(attempt.steps.map(({ pr }) => [pr, state.entries.get(pr)?.title ?? ""]));
    const repo = installed(await this.#directory.get(queueId));
    const gate = new DurableMergeGate(this.#runtime, this.#freezes, queueId, attemptId);
    const told = await this.#outcome(queueId, row, async () => {
      const plan = {
        ...attempt,
        steps: await this.#steps(repo, state, attempt),
        branch: state.branch,
        titles,
      };
      return this.#directory.codeHost.merge(repo, plan, gate);
    });
    const outcome = await this.#withoutOlderReading(attempt, told, await this.#runtime.state(queueId));
    await this.#runtime.dispatch(queueId, { type: "merge_concluded", attemptId, outcome }, { settles: row });
    return "settled";
  }

  /**
   * The steps with their commit messages. A step with a tested commit keeps that commit's message. For other
   * steps the message is read now.
   */
  #steps(repo: InstalledRepository, state: QueueState, attempt: MergeAttempt): Promise<MergeStep[]> {
    return Promise.all(
      attempt.steps.map(async (step) => {
        const entry = state.entries.get(step.pr);
        if (!entry || hasTestedCommit(state, step)) return step;
        const message = await this.#messages.of(repo, entry, attempt.method);
        return message ? { ...step, message } : step;
      }),
    );
  }

  /**
   * A stop that is based on a stale reading is not reported: the merge is retried later, and steps that have
   * merged are reported first.
   */
  async #withoutOlderReading(
    { base }: MergeAttempt,
    outcome: MergeOutcome,
    state: QueueState,
  ): Promise<MergeOutcome> {
    const { merged, stop } = outcome;
    const known = merged.at(-1)?.sha ?? base;
    const older = stop && (await this.#olderReading(state, known, merged, stop));
    if (!older) return outcome;
    if (merged.length === 0) throw older;
    return { merged, stop: null };
  }

  /** An error for a stop that is based on a stale reading; null when the reading is current. */
  async #olderReading(
    state: QueueState,
    known: string,
    merged: MergeOutcome["merged"],
    stop: MergeStop,
  ): Promise<OlderReading | null> {
    const { bases, pulls } = this.#readings;
    if (stop.kind === "withdrawn") {
      const { pullRequest } = stop;
      return pulls.findOlder(state.repo, pullRequest, state.entries.get(pullRequest.number));
    }
    if (stop.kind !== "base_moved") return null;
    const isOurs = merged.some(({ sha }) => sha === stop.actual);
    if (!isOurs && !(await bases.isOlder(state, stop.actual, known))) return null;
    const sha = stop.actual.slice(0, 7);
    return new OlderReading(`it shows ${sha} on ${state.branch}, which is older than what it showed before`);
  }

  /** A refusal that may be temporary is retried for minutes before it counts. */
  async #outcome(
    queueId: string,
    history: TaskHistory,
    merging: () => Promise<MergeOutcome>,
  ): Promise<MergeOutcome> {
    try {
      return await merging();
    } catch (error) {
      const isObstructed = await this.#reach.suspectFailure(queueId, error);
      if (!isCodeHostFailure(error) || isObstructed || !isLasting(error, history)) throw error;
      const kind = error.kind === "denied" ? "not_allowed" : "refused";
      const { message, refusal: cause } = error;
      return { merged: [], stop: { kind, message, ...(cause ? { cause } : {}) } };
    }
  }
}

function hasTestedCommit({ runs }: QueueState, { pr, runId }: MergeStep): boolean {
  return runs.get(runId ?? "")?.commits.some((commit) => commit.pr === pr) ?? false;
}
