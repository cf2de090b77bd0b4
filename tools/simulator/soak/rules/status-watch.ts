import type { Event } from "../../../../src/engine/model/event.ts";
import type { QueueChanges } from "../../../../src/engine/model/input.ts";
import type { QueueState } from "../../../../src/engine/model/queue.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";

type Status = NonNullable<QueueChanges["status"]>;

/** Reasons for a pause that a person ends. */
const alarms: ReadonlySet<string> = new Set(["TREE_MISMATCH", "MERGING_NOT_ALLOWED", "BUILDING_NOT_ALLOWED"]);

/**
 * Knows the status that a queue must have: the one that a person has set or an alarm has caused, and `paused` while an obstacle
 * stops the queue.
 */
export class StatusWatch {
  readonly #violations: Violations;
  #wanted: Status = "running";
  #isObstructed = false;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** A person has set the status. A queue that is set to `running` tries, and meets the obstacle again. */
  set(status: Status): void {
    this.#wanted = status;
    this.#isObstructed = false;
  }

  /** The queue has heard whether there is an obstacle. */
  hear(isObstructed: boolean): void {
    this.#isObstructed = isObstructed;
  }

  /** Notes a pause by an alarm. */
  note({ data }: Event): void {
    if (data.type === "queue_status_changed" && alarms.has(data.reason.code)) this.#wanted = "paused";
  }

  check({ status, next, deleted }: QueueState): void {
    const found = status === "switching_modes" ? next?.status : status;
    const right = this.#isObstructed ? "paused" : this.#wanted;
    if (!deleted && found !== right)
      this.#violations.add("I26", `the queue is ${found}, but must be ${right}`);
  }
}
