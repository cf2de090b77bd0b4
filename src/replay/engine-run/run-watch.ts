import type { EventData } from "../../engine/model/event.ts";
import { effective, type QueueSettings } from "../../engine/model/settings.ts";
import type { TestRun } from "../../engine/model/test-run.ts";
import type { Violations } from "./violations.ts";

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
      main: effective(settings, "concurrency"),
      bisection: effective(settings, "bisectionConcurrency"),
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
