import { type EntryState, isTerminal } from "../../engine/model/entry.ts";
import type { EventData } from "../../engine/model/event.ts";
import { isAllowed } from "../../engine/model/transition.ts";
import type { Violations } from "./violations.ts";

/** Tracks the states of all entries, by pull request. */
export class EntryWatch {
  readonly #violations: Violations;
  readonly #states = new Map<number, EntryState>();
  readonly #cancelled = new Set<number>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  follow(data: EventData): void {
    if (data.type === "entry_admitted") {
      if (this.#isLive(data.pr))
        this.#violations.add("I9", `#${data.pr} was admitted while it was in the queue`);
      if (data.actor.name === "") this.#violations.add("I7", `nobody let #${data.pr} in`);
      this.#states.set(data.pr, "not_ready");
    }
    if (data.type === "entry_moved") this.#move(data);
  }

  submit(pr: number): void {
    this.#cancelled.delete(pr);
  }

  cancel(pr: number): void {
    this.#cancelled.add(pr);
    if (this.#isLive(pr))
      this.#violations.add("I5", `#${pr} stayed in the queue after its cancel was accepted`);
  }

  checkMerge(pr: number): void {
    if (this.#cancelled.has(pr)) this.#violations.add("I5", `#${pr} merged after its cancel was accepted`);
    else if (!this.#isLive(pr)) this.#violations.add("I8", `#${pr} merged while it was not in the queue`);
  }

  #move({ pr, from, to, reason }: Extract<EventData, { type: "entry_moved" }>): void {
    const known = this.#states.get(pr);
    if (known !== from)
      this.#violations.add("I8", `#${pr} moved from ${from}, but was ${known ?? "nowhere"}`);
    if (isTerminal(from) || !isAllowed(from, to, reason.code)) {
      this.#violations.add("I8", `#${pr} moved from ${from} to ${to} because of ${reason.code}`);
    }
    this.#states.set(pr, to);
  }

  #isLive(pr: number): boolean {
    const state = this.#states.get(pr);
    return state !== undefined && !isTerminal(state);
  }
}
