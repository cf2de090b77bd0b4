import type { Decision } from "./decision.ts";

/** Few decisions need more than four. */
export const mostRounds = 50;

/**
 * The rounds in which a decision goes on until nothing changes any more. After the last one it ends as it is: two steps that undo each
 * other must not keep the service from everything else, and the next input goes on from here.
 */
export function* rounds({ events }: Pick<Decision, "events">): Generator<number> {
  for (let round = 1, before = -1; round <= mostRounds && before < events.length; round++) {
    before = events.length;
    yield round;
  }
}
