import { VirtualProcess } from "./virtual-process.ts";
import { wrapStatement } from "./wrap-statement.ts";

class ProcessDied extends Error {}

/**
 * Counts the boundaries of durable effects that the processes of the simulation reach: before and after each commit to the database,
 * and before and after each call that changes something at the code host. Ends the process that reaches one of them.
 */
export class Boundaries {
  readonly #killAt: number | null;
  /** The boundaries so far, in order. */
  readonly points: string[] = [];

  /** @param killAt the boundary at which the process ends, counted from 1; null = at none */
  constructor(killAt: number | null) {
    this.#killAt = killAt;
  }

  get wasReached(): boolean {
    return this.#killAt !== null && this.points.length >= this.#killAt;
  }

  /** Counts a boundary that the present process has reached. Returns whether the process is still alive. */
  pass(point: string): boolean {
    const process = VirtualProcess.current();
    // The world has no boundaries.
    if (process === null) return true;
    if (!process.isAlive) return false;
    this.points.push(point);
    if (this.points.length === this.#killAt) process.die();
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
