import type { Decision } from "../decision.ts";

/** Most decisions need at most four. */
const mostRounds = 50;

/**
 * The rounds of a decision: it repeats its steps until nothing changes, or the limit is reached. Then it ends as it is, and the next input
 * continues. Without a limit, two steps that undo each other would block the service.
 */
export function* rounds({ events }: Pick<Decision, "events">): Generator<number> {
  for (let round = 1, before = -1; round <= mostRounds && before < events.length; round++) {
    before = events.length;
    yield round;
  }
}
