import { VirtualProcess } from "./virtual-replicas.ts";
import { upheavals } from "./virtual-repository.ts";
import { wrapStatement } from "./wrap-statement.ts";

class ProcessDied extends Error {}

/**
 * `effects`: before and after each commit to the database, and before and after each call that changes something at the code host.
 * `readings`: when the code host answers a call that only reads, before the answer arrives.
 */
export type BoundaryKind = "effects" | "readings";

/** An event some effects after the event at the boundary, counted from 1. */
export interface LaterEvent {
  readonly event: BoundaryEvent;
  readonly effects: number;
}

/**
 * Counts the boundaries of one kind that the processes of the simulation reach. At one of them, the process that reaches it ends, or
 * another event happens, and a later event may follow some effects afterwards.
 */
export class Boundaries {
  readonly #at: number | null;
  readonly #event: BoundaryEvent;
  readonly #later: LaterEvent | null;
  readonly #kind: BoundaryKind;
  /** The boundaries so far, in order. */
  readonly points: string[] = [];
  #effectsSince = 0;
  /** Called for an event other than a kill, with the process that has reached the boundary. The world sets it. */
  onEvent: (event: BoundaryEvent, process: VirtualProcess, kind: BoundaryKind) => void = () => {};

  /** @param at the boundary at which the event happens, counted from 1; null = at none @param event what happens there */
  constructor(
    at: number | null,
    event: BoundaryEvent = "kill",
    kind: BoundaryKind = "effects",
    later: LaterEvent | null = null,
  ) {
    this.#at = at;
    this.#event = event;
    this.#kind = kind;
    this.#later = later;
  }

  get wasReached(): boolean {
    return this.#at !== null && this.points.length >= this.#at;
  }

  /** Whether the event happens at the last effect. */
  get isEventNow(): boolean {
    return this.#kind === "effects" && this.points.length === this.#at;
  }

  /** Counts the boundary of an effect that the current process has reached. Returns whether the process is still alive. */
  pass(point: string): boolean {
    this.#count("effects", point);
    // The world itself does not end.
    return VirtualProcess.current()?.isAlive ?? true;
  }

  /** Counts an answer to the current process. Returns whether an event happens before it arrives. */
  passReading(name: string): boolean {
    return this.#count("readings", `the answer of ${name}`);
  }

  #count(kind: BoundaryKind, point: string): boolean {
    const process = VirtualProcess.current();
    if (!process?.isAlive) return false;
    if (kind === "effects" && this.wasReached) this.#countLater(process);
    if (kind !== this.#kind) return false;
    this.points.push(point);
    if (this.points.length !== this.#at) return false;
    this.#happen(this.#event, process, kind);
    return true;
  }

  #countLater(process: VirtualProcess): void {
    this.#effectsSince += 1;
    if (this.#effectsSince === this.#later?.effects) this.#happen(this.#later.event, process, "effects");
  }

  #happen(event: BoundaryEvent, process: VirtualProcess, kind: BoundaryKind): void {
    if (event === "kill") process.die();
    else this.onEvent(event, process, kind);
  }

  /** Watches the commits of all processes until the returned function is called. Dead processes write nothing more. */
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

/**
 * What can happen at a boundary.
 *
 * - to the process that reaches it: `kill`; `freeze`, for a minute; `doze`, for about the length of a lease
 * - to the base: `push_to_base`, somebody merges something else; `rewind`, it is set back to its first commit
 * - to a good pull request: `merge_by_hand` and `object`, by somebody; `close`, `draft` and `retarget`, by its author, who submits it
 *   again five seconds later; `ready`, a draft is marked as ready; `restart`, its tests are restarted; `delete_comments`, somebody
 *   deletes the comments of the service
 * - to a pull request that is withdrawn: `push` and `cancel`, by its author
 * - to the queue: `pause`; `reconfigure`; `remove_branches`, somebody removes all test branches
 * - to the repository, or to the App on it: the others
 */
export const boundaryEvents = [
  "kill",
  "freeze",
  "doze",
  "push_to_base",
  "rewind",
  "merge_by_hand",
  "object",
  "close",
  "draft",
  "retarget",
  "remove_branches",
  "push",
  "cancel",
  "ready",
  "restart",
  "delete_comments",
  "pause",
  "reconfigure",
  ...upheavals,
] as const;
export type BoundaryEvent = (typeof boundaryEvents)[number];

/** Whether the pull request may be cancelled, or merged if that was faster. */
export function isWithdrawal(event: BoundaryEvent): boolean {
  return event === "push" || event === "cancel";
}
