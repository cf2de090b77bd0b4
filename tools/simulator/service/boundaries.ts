import type { BoundaryEvent } from "./boundary-event.ts";
import { VirtualProcess } from "./virtual-process.ts";
import { wrapStatement } from "./wrap-statement.ts";

class ProcessDied extends Error {}

/**
 * Counts the boundaries of durable effects that the processes of the simulation reach: before and after each commit to the database,
 * and before and after each call that changes something at the code host. At one of them, the process that reaches it ends, or
 * something else happens.
 */
export class Boundaries {
  readonly #at: number | null;
  readonly #event: BoundaryEvent;
  /** The boundaries so far, in order. */
  readonly points: string[] = [];
  /** Is called for an event that is no kill, with the process that has reached the boundary. The world sets it. */
  onEvent: (event: BoundaryEvent, process: VirtualProcess) => void = () => {};

  /**
   * @param at the boundary at which it happens, counted from 1; null = at none
   * @param event what happens there
   */
  constructor(at: number | null, event: BoundaryEvent = "kill") {
    this.#at = at;
    this.#event = event;
  }

  get wasReached(): boolean {
    return this.#at !== null && this.points.length >= this.#at;
  }

  /** Whether it happens at the boundary that was passed last. */
  get isEventNow(): boolean {
    return this.points.length === this.#at;
  }

  /** Counts a boundary that the present process has reached. Returns whether the process is still alive. */
  pass(point: string): boolean {
    const process = VirtualProcess.current();
    // The world has no boundaries.
    if (process === null) return true;
    if (!process.isAlive) return false;
    this.points.push(point);
    if (this.points.length === this.#at) {
      if (this.#event === "kill") process.die();
      else this.onEvent(this.#event, process);
    }
    return process.isAlive;
  }

  /** Watches the commits of all processes, until the returned function is called. A dead process writes nothing more. */
  watchCommits(): () => void {
    const restore = [
      wrapStatement("begin immediate", (begin) => {
        if (VirtualProcess.current()?.isAlive === false) throw new ProcessDied();
        return begin();
      }),
      wrapStatement("commit", (commit) => {
        this.#passOrEnd("before a commit");
        const result = commit();
        this.#passOrEnd("after a commit");
        return result;
      }),
    ];
    return () => {
      for (const end of restore.toReversed()) end();
    };
  }

  /** The connection outlives the process and is in use. An error frees it, and SQLite rolls back what was not committed. */
  #passOrEnd(point: string): void {
    if (!this.pass(point)) throw new ProcessDied();
  }
}
