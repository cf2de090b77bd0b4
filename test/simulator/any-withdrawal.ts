import {
  type DrawnWithdrawal,
  planWithdrawal,
  type Taker,
  takers,
} from "../../tools/simulator/service/draw-withdrawals.ts";
import { playService } from "../../tools/simulator/service/play-service.ts";
import fc from "../drawn.ts";

/** The calls with which commands are handled. */
const named = [
  "permissionOf",
  ...[
    "readPullRequest",
    "readFile",
    "readReach",
    "branchTip",
    "headAt",
    "react",
    "putComment",
    "putCheckRun",
  ],
  ...["listLabelEvents", "listLabels", "autoMergeEnabledAt", "requiredChecks", "merge: look", "merge"],
];

/** Any command or change that takes pull requests out of the queue × any failing call × any length, also with a backlog. */
export const anyWithdrawal: fc.Arbitrary<DrawnWithdrawal> = withdrawalOf(
  takers,
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(["permissionOf"]) },
    { weight: 4, arbitrary: fc.subarray(named, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom("half" as const, "changes" as const, "all" as const) },
  ),
);

/** Those that a service without an order between its inbox and its merges mostly handles too late. */
export const heldWithdrawal: fc.Arbitrary<DrawnWithdrawal> = withdrawalOf(
  ["comment", "review", "pause"],
  fc.constant(["permissionOf"]),
);

function withdrawalOf(
  from: readonly Taker[],
  calls: fc.Arbitrary<DrawnWithdrawal["calls"]>,
): fc.Arbitrary<DrawnWithdrawal> {
  return fc.record({
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    taker: fc.constantFrom(...from),
    calls,
    kind: fc.constantFrom("unavailable", "busy", "rate_limited", "denied", "not_found", "slow"),
    seconds: fc.integer({ min: 1, max: 230 }),
    backlog: fc.constantFrom(0, 0, 8),
  });
}

/** Plays the life with a withdrawal. Throws what went wrong in it. */
export async function playWithdrawal(drawn: DrawnWithdrawal): Promise<void> {
  const { violations } = await playService(planWithdrawal(drawn));
  if (violations.length > 0) throw new Error(violations.join("; "));
}
