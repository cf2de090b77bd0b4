import { nextDeadline, timingOut } from "../../engine/deadline.ts";
import { type QueueState, requireEntry, runOf } from "../../engine/model/queue.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import { installed } from "../runtime/directory.ts";
import { observeTask } from "../runtime/plan-tasks.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import { isCodeHostFailure, messageOf } from "../workers/retry.ts";
import type { CheckWatcher } from "./check-watcher.ts";
import type { QueueContext } from "./queue-context.ts";

/** The longest delay that Node's timers support. */
const maxDelayMs = 2 ** 31 - 1;

/** The delay until the next attempt, if something that is about to time out could not be read. */
const againMs = 5_000;

/** Wakes each queue when its next deadline comes. */
export class AlarmClock {
  readonly #runtime: QueueRuntime;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #timeouts: Pick<TimeoutReadings, "isDone">;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(
    runtime: QueueRuntime,
    timeouts: Pick<TimeoutReadings, "isDone">,
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#runtime = runtime;
    this.#timeouts = timeouts;
    this.#clock = clock;
    this.#log = log;
    runtime.onCommit((_queueId, _events, state) => this.set(state));
  }

  set(state: QueueState): void {
    clearTimeout(this.#timers.get(state.id));
    this.#timers.delete(state.id);
    const deadline = nextDeadline(state);
    if (deadline === null || this.#stopped) return;
    const delay = Math.min(Math.max(0, deadline - this.#clock.now()), maxDelayMs);
    this.#timers.set(
      state.id,
      setTimeout(() => void this.#ring(state.id), delay),
    );
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  async #ring(queueId: string): Promise<void> {
    try {
      if (!(await this.#timeouts.isDone(queueId))) return this.#ringAgain(queueId);
      // The readings may have outlasted the service.
      if (this.#stopped) return;
      const { events, state } = await this.#runtime.dispatch(queueId, { type: "clock" });
      // Node may fire a timer a millisecond early, before the deadline.
      if (events.length === 0) this.set(state);
    } catch (error) {
      if (this.#stopped) return;
      this.#log.error({ err: error, queueId }, `a deadline could not be handled: ${messageOf(error)}`);
      this.#ringAgain(queueId);
    }
  }

  #ringAgain(queueId: string): void {
    if (this.#stopped) return;
    clearTimeout(this.#timers.get(queueId));
    this.#timers.set(
      queueId,
      setTimeout(() => void this.#ring(queueId), againMs),
    );
  }
}

/** After readings have failed for this long, other than because of an outage, the timeout counts without them. */
const believedAfterMs = 10 * 60_000;
/** The maximum number of pull requests to remember. */
const maxLookedAt = 10_000;

/**
 * Reads what is about to time out once more. While no process ran, CI may have ended a test, and an author may have made a pull request
 * ready: neither may be removed because the service did not run. The test that an alarm is about to name is read for the same reason.
 */
export class TimeoutReadings {
  readonly #context: QueueContext;
  readonly #watcher: CheckWatcher;
  /** By queue id: since when readings fail, in milliseconds since the epoch. */
  readonly #failingSince = new Map<string, number>();
  /** The unready entries whose time is over, with the time at which reading them again was requested. */
  readonly #lookedAt = new Map<string, number>();

  constructor(context: QueueContext, watcher: CheckWatcher) {
    this.#context = context;
    this.#watcher = watcher;
  }

  /** Returns whether everything that times out was read. If not, the queue must not get the input `clock` yet. */
  async isDone(queueId: string): Promise<boolean> {
    const { runtime, clock } = this.#context;
    const state = await runtime.state(queueId);
    const { runs, unready, blocker } = timingOut(state, clock.now());
    const blocking = blocker === null ? null : runOf(state, requireEntry(state, blocker));
    const tests = new Set([...runs, ...(blocking?.state === "running" ? [blocking] : [])]);
    try {
      for (const failed of await Promise.all([...tests].map((run) => this.#watcher.readNow(queueId, run))))
        if (failed) throw failed.unread;
      // While the code host does not answer, nothing is wrong with the queue.
      if (blocker !== null && tests.size === 0) await this.#readPullRequest(state, blocker);
      const isRead = await this.#readUnready(state, unready);
      this.#failingSince.delete(queueId);
      return isRead;
    } catch (error) {
      if (!isCodeHostFailure(error)) throw error;
      if (error.kind === "unavailable" || error.kind === "rate_limited") return false;
      const since = this.#failingSince.get(queueId) ?? clock.now();
      this.#failingSince.set(queueId, since);
      return clock.now() - since >= believedAfterMs;
    }
  }

  /** Requests a reading of these entries, unless that was done before. Fails while the code host cannot be read. */
  async #readUnready(state: QueueState, prs: readonly number[]): Promise<boolean> {
    const { outbox, clock } = this.#context;
    const unread = prs.filter((pr) => !this.#lookedAt.has(keyOf(state, pr)));
    const [first] = unread;
    if (first === undefined) return this.#areRead(state, prs);
    await this.#readPullRequest(state, first);
    if (this.#lookedAt.size + unread.length > maxLookedAt) this.#lookedAt.clear();
    for (const pr of unread) {
      await outbox.add(observeTask(state.id, pr, clock.now()));
      this.#lookedAt.set(keyOf(state, pr), clock.now());
    }
    return false;
  }

  async #readPullRequest({ id }: QueueState, pr: number): Promise<void> {
    const { directory } = this.#context;
    await directory.codeHost.readPullRequest(installed(await directory.get(id)), pr);
  }

  /** Whether the tasks that read these entries have ended. A task that fails for too long counts as ended. */
  async #areRead(state: QueueState, prs: readonly number[]): Promise<boolean> {
    const { outbox, clock } = this.#context;
    const since = clock.now() - believedAfterMs;
    const waiting = prs.filter((pr) => (this.#lookedAt.get(keyOf(state, pr)) ?? 0) > since);
    if (waiting.length === 0) return true;
    const unfinished = new Set<number>();
    for (const { task } of await outbox.backlog())
      if (task.type === "observe_pull_request" && task.queueId === state.id) unfinished.add(task.pr);
    return !waiting.some((pr) => unfinished.has(pr));
  }
}

/** Identifies an entry in its current state. */
function keyOf(state: QueueState, pr: number): string {
  return `${state.id}/${pr}/${requireEntry(state, pr).stateChangedAt}`;
}
