import type { NextAction, ReasonCode, RemovalCause } from "../../../src/engine/reasons/reason.ts";
import type { Place, PlaceOptions } from "./place.ts";

/** A pull request that leaves the queue or is held in it, and what its verdict has to say. */
export interface Removal {
  readonly name: string;
  readonly place?: PlaceOptions;
  /** Returns the pull request once it has left or waits. */
  readonly play: (place: Place) => Promise<number>;
  readonly reason: ReasonCode;
  /** Null = it has not left, or has merged. */
  readonly cause: RemovalCause | null;
  readonly next: NextAction;
  /** The checks that failed, with their conclusions. Default: none. */
  readonly jobs?: Readonly<Record<string, string>>;
  /** The tests that failed; true = known as flaky. Default: none. */
  readonly tests?: Readonly<Record<string, boolean>>;
  /** The pull requests that it waits for. The first one of a repository has the number 1. Default: none. */
  readonly blockedBy?: readonly number[];
  /** What happens when the same head is submitted again: it merges, ends for the same reason, or the submission is refused. Default: not tried. */
  readonly again?: "merges" | "ends the same" | "is refused";
  /** What somebody does before it is submitted again. */
  readonly meanwhile?: (place: Place) => Promise<unknown>;
  /** The repository or the branch has another name at the end. */
  readonly queue?: (place: Place) => Place["queue"];
}
