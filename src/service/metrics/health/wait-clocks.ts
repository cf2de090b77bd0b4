import type { EntryState } from "../../../engine/model/entry.ts";
import { merges, type QueueStatus, startsTests } from "../../../engine/model/queue.ts";
import { noWaits, type Wait, type Waits, waits } from "./health-figures.ts";

/** The places that an entry can be in. The place and the state of the queue determine the kind of wait. */
const places = ["unready", "line", "delayed", "behind", "testing", "passed", "passed_urgent"] as const;
type Place = (typeof places)[number];

export type Clocks = Record<Place, Waits>;

export const noClocks = Object.fromEntries(places.map((place) => [place, noWaits])) as Clocks;

export interface LiveStay {
  state: EntryState;
  isUrgent: boolean;
  isHeld: boolean;
  isDelayed: boolean;
  /** The run that is built for it, or tests it. */
  runId: string | null;
  place: Place;
  /** The clock of its current place at the time when it came there. */
  since: Waits;
  waits: Waits;
  /** A test of several pull requests that contained it has failed. */
  isSuspect: boolean;
  /** It was tested once more after a failure of its own. */
  isDoubted: boolean;
}

export function beginStay(isUrgent: boolean, clocks: Clocks): LiveStay {
  return {
    ...{ state: "not_ready", isUrgent, isHeld: false, isDelayed: false, runId: null },
    ...{ place: "unready", since: clocks.unready, waits: noWaits },
    ...{ isSuspect: false, isDoubted: false },
  };
}

/** Adds the time since the entry's last change, and updates its place. */
export function settleStay(stay: LiveStay, clocks: Clocks): void {
  const [clock, { since }] = [clocks[stay.place], stay];
  const passed = waits.map((wait) => [wait, stay.waits[wait] + clock[wait] - since[wait]]);
  stay.waits = Object.fromEntries(passed) as Waits;
  stay.place = placeOf(stay);
  stay.since = clocks[stay.place];
}

function placeOf({ state, isUrgent, isHeld, isDelayed, runId }: LiveStay): Place {
  if (state === "not_ready") return "unready";
  if (state === "testing") return "testing";
  if (state === "tests_passed") return isUrgent ? "passed_urgent" : "passed";
  if (state !== "pending" || isHeld) return "behind";
  if (isDelayed) return "delayed";
  return runId === null ? "line" : "testing";
}

export interface QueueFacts {
  readonly status: QueueStatus;
  /** The queue will be paused when it has changed its mode. */
  readonly pausesNext: boolean;
  readonly isFrozen: boolean;
  readonly batch: boolean;
  readonly hasFreeSlot: boolean;
}

/** Lets time pass for all entries at once, so that the cost does not depend on the number of waiting entries. */
export function advanceClocks(clocks: Clocks, ms: number, queue: QueueFacts): void {
  for (const place of places) {
    const wait = waitAt(place, queue);
    clocks[place] = { ...clocks[place], [wait]: clocks[place][wait] + ms };
  }
}

function waitAt(place: Place, { status, pausesNext, isFrozen, batch, hasFreeSlot }: QueueFacts): Wait {
  switch (place) {
    case "unready":
      return "readiness";
    case "line":
      if (!startsTests(status)) return "paused";
      return batch && hasFreeSlot ? "batch" : "slot";
    case "delayed":
      return "retry";
    case "behind":
      return "predecessors";
    case "testing":
      return "ci";
    case "passed":
    case "passed_urgent":
      if (!merges({ status, next: pausesNext ? { mode: "single", status: "paused" } : null }))
        return "paused";
      return isFrozen && place === "passed" ? "frozen" : "predecessors";
  }
}
