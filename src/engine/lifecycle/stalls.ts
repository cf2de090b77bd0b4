import type { Decision } from "../decision.ts";
import type { Input } from "../model/input.ts";
import { blockerOf, type Stall, stallTime } from "../model/stall.ts";

/** The maximum number of pull requests that show it. */
const maxShown = 200;

/** Raises the alarm when pull requests have waited for too long without a merge, and ends it when something has merged, or nothing could merge. */
export function settleStall(decision: Decision, input: Input): void {
  const { lull, stall } = decision.state;
  if (stall !== null && lull?.since !== stall.since) change(decision, null);
  // Only the clock: before it, what CI has reported meanwhile is read.
  const due = input.type === "clock" ? stallTime(decision.state) : null;
  if (due === null || due > decision.context.now) return;
  const [since, pr] = [decision.state.lull?.since, blockerOf(decision.state)];
  if (since !== undefined && pr !== null) change(decision, { since, pr });
}

function change(decision: Decision, stall: Stall | null): void {
  const ready = [...decision.state.entries.values()].filter(({ state }) => state !== "not_ready");
  decision.record({ type: "stall_changed", stall, prs: ready.slice(0, maxShown).map(({ pr }) => pr) });
}
