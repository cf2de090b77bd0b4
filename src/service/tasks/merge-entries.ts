import type { MergeAttempt, MergeOutcome, MergeStep, MergeStop } from "../../engine/model/merge-attempt.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import { scratchName } from "../../engine/model/test-run.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { OutboxRow, Task } from "../../store/leased/outbox.ts";
import { judgeRebase, maxPushLooks } from "../observation/judge-push.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { OutdatedReading } from "../observation/readings.ts";
import { installed } from "../runtime/directory.ts";
import { isCodeHostFailure, isDenial, isLasting, type TaskHistory } from "../workers/retry.ts";
import { CommitMessages } from "./commit-messages.ts";
import { type OtherMerge, wouldConcernOneMerge } from "./concerns-one-merge.ts";
import { DurableMergeGate } from "./merge-gate.ts";
import { type HeldMerge, InputPending, PendingInput } from "./pending-input.ts";
import { Submissions } from "./submissions.ts";
import type { TaskResult } from "./task-executor.ts";

/** What the code host has shown during a merge. */
interface MergeReading {
  /** When the first call was made, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** The state after the last call. */
  readonly state: QueueState;
}

/**
 * A merge that waits for input is tried again after at most this time, because after a crash nothing may report that the input was handled.
 */
const longestHoldMs = 15_000;

/** Carries out the ordered merge, and reports the outcome to the engine. */
export class MergeExecutor {
  readonly #context: ObservationContext;
  readonly #input: PendingInput;
  readonly #submissions: Submissions;
  readonly #messages: CommitMessages;

  constructor(context: ObservationContext) {
    this.#context = context;
    this.#input = new PendingInput(context);
    this.#submissions = new Submissions(context);
    this.#messages = new CommitMessages(context);
  }

  async merge({ queueId, attemptId }: Extract<Task, { type: "merge" }>, row: OutboxRow): Promise<TaskResult> {
    const { runtime, directory, clock } = this.#context;
    const state = await runtime.state(queueId);
    const attempt = state.merge;
    if (attempt?.id !== attemptId) return "done";
    const titles = new Map(attempt.steps.map(({ pr }) => [pr, state.entries.get(pr)?.title ?? ""]));
    const repo = installed(await directory.get(queueId));
    const label = await this.#submissions.labelOf(repo, state);
    const held = await this.#input.findHeld(state, attempt.steps, label);
    const steps = held ? attempt.steps.slice(0, firstOfItsRun(attempt.steps, held.index)) : attempt.steps;
    if (held && steps.length === 0) return this.#hold(queueId, attemptId, row, held);
    const gate = new DurableMergeGate(this.#context, this.#input, this.#submissions, {
      ...{ queueId, attemptId, repo, label },
    });
    const askedAt = clock.now();
    const { codeHost } = directory;
    const { scratch: prefix } = this.#context.settings.branches;
    const other = { codeHost, repo, sha: attempt.base, scratch: scratchName(state.branch, "+merge"), prefix };
    let told: MergeOutcome;
    try {
      told = await this.#outcome(queueId, row, other, gate, async () => {
        const plan = {
          ...attempt,
          steps: await this.#steps(repo, state, attempt, steps),
          branch: state.branch,
          titles,
        };
        return codeHost.merge(repo, plan, gate);
      });
    } catch (error) {
      if (error instanceof InputPending) return this.#hold(queueId, attemptId, row, error.held);
      throw error;
    }
    const read = { askedAt, state: await runtime.state(queueId) };
    const outcome = await this.#withoutWrongStop(attempt, told, read, row);
    await runtime.dispatch(queueId, { type: "merge_concluded", attemptId, outcome }, { settles: row });
    return "settled";
  }

  /** Waits until the input that holds the merge is handled, and shows that it waits. */
  async #hold(queueId: string, attemptId: string, row: OutboxRow, held: HeldMerge): Promise<TaskResult> {
    const { runtime, clock } = this.#context;
    const until = clock.now() + Math.min(1_000 * 2 ** row.attempts, longestHoldMs);
    const wait = { code: "COMMAND_PENDING", message: held.text, until } as const;
    await runtime.dispatch(queueId, { type: "work_postponed", work: "merge", id: attemptId, wait });
    await this.#input.hasten(held);
    return { againAt: until };
  }

  /**
   * The steps with their commit messages. A step with a tested commit keeps that commit's message. For other
   * steps the message is read now.
   */
  #steps(
    repo: InstalledRepository,
    state: QueueState,
    attempt: MergeAttempt,
    steps: readonly MergeStep[],
  ): Promise<MergeStep[]> {
    return Promise.all(
      steps.map(async (step) => {
        const entry = state.entries.get(step.pr);
        if (!entry || hasTestedCommit(state, step)) return step;
        const message = await this.#messages.of(repo, entry, attempt.method);
        return message ? { ...step, message } : step;
      }),
    );
  }

  /**
   * A stop because of a stale reading or of the branch's former name is not reported. Steps that have merged are reported, and the merge is
   * retried later.
   */
  async #withoutWrongStop(
    { base }: MergeAttempt,
    outcome: MergeOutcome,
    read: MergeReading,
    row: OutboxRow,
  ): Promise<MergeOutcome> {
    const { merged, stop } = outcome;
    const known = merged.at(-1)?.sha ?? base;
    const wrong =
      stop &&
      ((await this.#olderReading(read, known, merged, stop)) ?? (await this.#renamedBranch(read, stop)));
    const judged = wrong ?? (stop?.kind === "withdrawn" ? await this.#judged(stop, read, row) : stop);
    if (!(judged instanceof OutdatedReading)) return { merged, stop: judged };
    if (merged.length === 0) throw judged;
    return { merged, stop: null };
  }

  /**
   * Adds what is known about the reading of a withdrawn pull request. The first is whether it counts although it is old, because it may
   * become older than the last known change before the engine gets it. The second is whether the head was only rebased. While that is not
   * known, returns an error for a few attempts.
   */
  async #judged(
    stop: Extract<MergeStop, { kind: "withdrawn" }>,
    { state }: MergeReading,
    { attempts }: OutboxRow,
  ): Promise<MergeStop | OutdatedReading> {
    const { directory, files, readings } = this.#context;
    const { pullRequest } = stop;
    const repo = installed(await directory.get(state.id));
    const entry = state.entries.get(pullRequest.number);
    const isRebase = await judgeRebase({ codeHost: directory.codeHost, files }, repo, entry, pullRequest);
    if (isRebase === null && attempts < maxPushLooks)
      return new OutdatedReading(`it does not tell yet who pushed #${pullRequest.number}, and what`);
    const isBelieved = readings.pulls.isBelieved(state.repo, pullRequest.number);
    return { ...stop, isBelieved, ...(isRebase ? { isRebase } : {}) };
  }

  /** An error if the pull request seems to have another base branch and that is not certain; otherwise null. */
  async #renamedBranch({ state }: MergeReading, stop: MergeStop): Promise<OutdatedReading | null> {
    if (stop.kind !== "withdrawn" || stop.pullRequest.state !== "open") return null;
    const { number, baseBranch } = stop.pullRequest;
    if (baseBranch === state.branch) return null;
    const { reach, runtime } = this.#context;
    const present = await reach.presentBranch(state.id, baseBranch);
    const { branch } = await runtime.state(state.id);
    if (present !== null && present !== branch) return null;
    return new OutdatedReading(
      `#${number} has the base branch ${baseBranch}, which may be another name of ${state.branch}`,
    );
  }

  /** An error for a stop that is based on a stale reading; null when the reading is current. */
  async #olderReading(
    { state, askedAt }: MergeReading,
    known: string,
    merged: MergeOutcome["merged"],
    stop: MergeStop,
  ): Promise<OutdatedReading | null> {
    const { bases, pulls } = this.#context.readings;
    if (stop.kind === "withdrawn") {
      const { pullRequest } = stop;
      const entry = state.entries.get(pullRequest.number);
      return pulls.findOlder({ repo: state.repo, pullRequest, askedAt, entry });
    }
    if (stop.kind !== "base_moved") return null;
    const isOurs = merged.some(({ sha }) => sha === stop.actual);
    if (!isOurs && !(await bases.isOlder(state, { sha: stop.actual, askedAt }, known))) return null;
    const sha = stop.actual.slice(0, 7);
    return new OutdatedReading(
      `it shows ${sha} on ${state.branch}, which is older than what it showed before`,
    );
  }

  /**
   * A refusal that may be temporary is retried for minutes before it counts. A refusal without a stated cause counts only if the App can
   * merge something else. While the required checks are not known, the merge waits.
   */
  async #outcome(
    queueId: string,
    history: TaskHistory,
    other: OtherMerge,
    gate: DurableMergeGate,
    merging: () => Promise<MergeOutcome>,
  ): Promise<MergeOutcome> {
    const concernsOne = await wouldConcernOneMerge(history, other);
    try {
      return await merging();
    } catch (error) {
      const isObstructed = await this.#context.reach.suspectFailure(queueId, error);
      if (error === gate.unread || !isCodeHostFailure(error)) throw error;
      if (isObstructed || !isLasting(error, history)) throw error;
      const { message, refusal: cause } = error;
      // After any 404, the asynchronous merge API seems to be unavailable.
      const isExplained = cause && cause !== "ASYNC_MERGE_UNAVAILABLE";
      if (isDenial(error) && !isExplained && (error.isOfReading || !concernsOne)) throw error;
      return { merged: [], stop: { kind: "refused", message, ...(cause ? { cause } : {}) } };
    }
  }
}

function hasTestedCommit({ runs }: QueueState, { pr, runId }: MergeStep): boolean {
  return runs.get(runId ?? "")?.commits.some((commit) => commit.pr === pr) ?? false;
}

/** Steps that were tested together merge together. */
function firstOfItsRun(steps: readonly MergeStep[], index: number): number {
  return steps.findIndex(({ runId }) => runId === steps[index]?.runId);
}
