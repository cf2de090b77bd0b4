import { BodyBudget } from "./body-budget.ts";
import type { BodyOptions } from "./read-body.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
/** Nearly all bodies are smaller. */
const smallBytes = 256 * kibibyte;

/** Room for bodies of one kind of sender. The large ones have room of their own, so that no small one waits for them. */
export class BodyLanes {
  readonly small: BodyBudget;
  readonly large: BodyBudget;

  constructor(small: BodyBudget, large: BodyBudget) {
    this.small = small;
    this.large = large;
  }

  /** A body that has not told its length counts as a small one until it is none. */
  of(told: number | null): Pick<BodyOptions, "budget" | "gate"> {
    if (told !== null && told > smallBytes) return { budget: this.large };
    return { budget: this.small, gate: { at: smallBytes, budget: this.large, pass: async () => {} } };
  }
}

const patience = { waiting: 64, waitMs: 15_000, arrivalMs: 10_000 };
/** GitHub waits for ten seconds in all. */
const webhookPatience = { waiting: 64, waitMs: 5_000, arrivalMs: 3_000 };

/** Of senders with a token, of a person or a workflow. */
export function tokenLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 16 * mebibyte, bodies: 1_000, ...patience, waiting: 1_000 }),
    new BodyBudget({ bytes: 21 * mebibyte, bodies: 64, ...patience }),
  );
}

/** Of runs of forks: before they are proven, and then. */
export function forkLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 8 * mebibyte, bodies: 64, ...patience }),
    new BodyBudget({ bytes: 21 * mebibyte, bodies: 16, ...patience }),
  );
}

/** Of webhooks, of which it is known only in the end who has sent them. */
export function webhookLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 8 * mebibyte, bodies: 256, ...webhookPatience, waiting: 256 }),
    new BodyBudget({ bytes: 26 * mebibyte, bodies: 16, ...webhookPatience }),
  );
}

/** Of our own bot, in this process. */
export function botBudget(): BodyBudget {
  return new BodyBudget({ bytes: 64 * mebibyte, bodies: 10_000, ...patience, waiting: 10_000 });
}
