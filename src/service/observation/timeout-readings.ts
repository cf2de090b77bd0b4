import { timingOut } from "../../engine/deadline.ts";
import { type QueueState, requireEntry, runOf } from "../../engine/model/queue.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Outbox } from "../../store/leased/outbox.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import { observeTask } from "../runtime/plan-tasks.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import { isCodeHostFailure } from "../workers/retry.ts";
import type { CheckWatcher } from "./check-watcher.ts";

interface TimeoutReadingsParts {
  readonly runtime: QueueRuntime;
  readonly directory: Directory;
  readonly watcher: Pick<CheckWatcher, "readNow">;
  readonly outbox: Pick<Outbox, "add" | "backlog">;
  readonly clock: Clock;
}

/** How long a reading may fail in another way than by an outage before the time counts without it. */
const believedAfterMs = 10 * 60_000;
/** The maximum number of pull requests to remember. */
const maxLookedAt = 10_000;

/**
 * Reads what is about to time out once more. While no process ran, CI may have ended a test, and an author may have made a pull
 * request ready: neither may be removed because the service was away. The same holds for the test that an alarm is
 * about to name.
 */
export class TimeoutReadings {
  readonly #parts: TimeoutReadingsParts;
  /** By queue id: since when readings fail, in milliseconds since the epoch. */
  readonly #failingSince = new Map<string, number>();
  /** The unready entries whose time is over, with the time from which on they are read. */
  readonly #lookedAt = new Map<string, number>();

  constructor(parts: TimeoutReadingsParts) {
    this.#parts = parts;
  }

  /** Returns whether everything that times out was read. If not, the queue must not be told the time yet. */
  async isDone(queueId: string): Promise<boolean> {
    const { runtime, watcher, clock } = this.#parts;
    const state = await runtime.state(queueId);
    const { runs, unready, blocker } = timingOut(state, clock.now());
    const blocking = blocker === null ? null : runOf(state, requireEntry(state, blocker));
    const tests = new Set([...runs, ...(blocking?.state === "running" ? [blocking] : [])]);
    try {
      for (const failed of await Promise.all([...tests].map((run) => watcher.readNow(queueId, run))))
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

  /** Has them read, unless that was done before. Fails while the code host cannot be read. */
  async #readUnready(state: QueueState, prs: readonly number[]): Promise<boolean> {
    const { outbox, clock } = this.#parts;
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
    const { directory } = this.#parts;
    await directory.codeHost.readPullRequest(installed(await directory.get(id)), pr);
  }

  /** Whether the tasks that read them have ended. One that fails for too long counts as ended. */
  async #areRead(state: QueueState, prs: readonly number[]): Promise<boolean> {
    const { outbox, clock } = this.#parts;
    const since = clock.now() - believedAfterMs;
    const waiting = prs.filter((pr) => (this.#lookedAt.get(keyOf(state, pr)) ?? 0) > since);
    if (waiting.length === 0) return true;
    const unfinished = new Set<number>();
    for (const { task } of await outbox.backlog())
      if (task.type === "observe_pull_request" && task.queueId === state.id) unfinished.add(task.pr);
    return !waiting.some((pr) => unfinished.has(pr));
  }
}

/** Names an entry in its present state. */
function keyOf(state: QueueState, pr: number): string {
  return `${state.id}/${pr}/${requireEntry(state, pr).stateChangedAt}`;
}
