import { BodyBudget } from "./body-budget.ts";
import type { BodyOptions } from "./read-body.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
/** Nearly all bodies are smaller. */
const smallBytes = 256 * kibibyte;

/** Room for the bodies of one kind of sender. Large bodies have a budget of their own, so that small ones never wait for them. */
export class BodyLanes {
  readonly small: BodyBudget;
  readonly large: BodyBudget;

  constructor(small: BodyBudget, large: BodyBudget) {
    this.small = small;
    this.large = large;
  }

  /** A body without content-length counts as small until it exceeds the limit. */
  of(told: number | null): Pick<BodyOptions, "budget" | "gate"> {
    if (told !== null && told > smallBytes) return { budget: this.large };
    return { budget: this.small, gate: { at: smallBytes, budget: this.large, pass: async () => {} } };
  }
}

const patience = { waiting: 64, waitMs: 15_000, arrivalMs: 10_000 };
/** GitHub waits for ten seconds in total. */
const webhookPatience = { waiting: 64, waitMs: 5_000, arrivalMs: 3_000 };

/** For people and workflows with a token. */
export function tokenLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 16 * mebibyte, bodies: 1_000, ...patience, waiting: 1_000 }),
    new BodyBudget({ bytes: 21 * mebibyte, bodies: 64, ...patience }),
  );
}

/** For forks' runs: `small` before the run is verified, `large` afterwards. */
export function forkLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 8 * mebibyte, bodies: 64, ...patience }),
    new BodyBudget({ bytes: 21 * mebibyte, bodies: 16, ...patience }),
  );
}

/** For webhooks. Their sender is verified only after the whole body has arrived. */
export function webhookLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 8 * mebibyte, bodies: 256, ...webhookPatience, waiting: 256 }),
    new BodyBudget({ bytes: 26 * mebibyte, bodies: 16, ...webhookPatience }),
  );
}

/** For our own bot, in this process. */
export function botBudget(): BodyBudget {
  return new BodyBudget({ bytes: 64 * mebibyte, bodies: 10_000, ...patience, waiting: 10_000 });
}
