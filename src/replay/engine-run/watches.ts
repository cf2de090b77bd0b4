import { type EntryState, isTerminal } from "../../engine/model/entry.ts";
import type { EventData, EventOf } from "../../engine/model/event.ts";
import { type QueueSettings, settingInUse } from "../../engine/model/settings.ts";
import type { TestRun } from "../../engine/model/test-run.ts";
import { isAllowed } from "../../engine/model/transition.ts";

const shown = 50;

/** Counts violations, and keeps the first ones as text. */
export class Violations {
  readonly #texts: string[] = [];
  #count = 0;

  add(invariant: string, text: string): void {
    this.#count++;
    if (this.#texts.length < shown) this.#texts.push(`${invariant}: ${text}`);
  }

  get texts(): string[] {
    const more = this.#count - this.#texts.length;
    return more === 0 ? [...this.#texts] : [...this.#texts, `and ${more} more`];
  }
}

/** Counts the runs that occupy a slot, and checks the composition of each run. */
export class RunWatch {
  readonly #violations: Violations;
  readonly #active = new Map<string, TestRun["kind"]>();
  readonly #counts = { main: 0, bisection: 0 };
  #started: Pick<TestRun, "id" | "members" | "kind">[] = [];

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  follow(data: EventData): void {
    if (data.type === "run_started") {
      const { id, kind, ahead, members } = data.run;
      this.#active.set(id, kind);
      this.#counts[kind]++;
      this.#started.push(data.run);
      if (members.length === 0 || new Set([...ahead, ...members]).size < ahead.length + members.length) {
        this.#violations.add("I10", `run ${id} has the members ${members} on ${ahead}`);
      }
    }
    if (data.type === "run_concluded" || data.type === "run_discarded") this.#end(data.runId);
  }

  /** Checks the limits that hold at the end of a step, but not necessarily within it. */
  checkCaps(settings: QueueSettings): void {
    if (this.#started.length === 0) return;
    const caps = {
      main: settingInUse(settings, "concurrency"),
      bisection: settingInUse(settings, "bisectionConcurrency"),
    };
    for (const kind of ["main", "bisection"] as const) {
      if (this.#counts[kind] <= caps[kind]) continue;
      this.#violations.add(
        "I10",
        `${this.#counts[kind]} ${kind} runs at once, but at most ${caps[kind]} may run`,
      );
    }
    for (const { id, members, kind } of this.#started) {
      if (kind === "main" && !settings.batch && members.length > 1) {
        this.#violations.add("I10", `run ${id} is a batch of ${members.length}, but batches are off`);
      }
    }
    this.#started = [];
  }

  #end(id: string): void {
    const kind = this.#active.get(id);
    if (!kind) return;
    this.#active.delete(id);
    this.#counts[kind]--;
  }
}

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

  #move({ pr, from, to, reason }: EventOf<"entry_moved">): void {
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
