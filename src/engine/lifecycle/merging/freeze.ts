import type { Decision } from "../../decision.ts";
import { skipsTheLine } from "../../model/entry.ts";
import type { Input, InputOf } from "../../model/input.ts";
import type { Freeze, Stall } from "../../model/order/delay.ts";
import { mayMerge } from "../../model/order/dependencies.ts";
import { blockerOf, stallTime } from "../../model/stall.ts";
import { isMergeCalled, recallMerge } from "./ordered-merge.ts";

/** The maximum number of pull requests that an event of a freeze or stall names, so that they show it. */
const maxShown = 200;

/** Begins, changes or ends the freeze. A freeze whose time is over is ignored, because the queue ends a freeze by itself. */
export function observeFreeze(decision: Decision, { freeze }: InputOf<"freeze_observed">): void {
  const { state, context } = decision;
  if (freeze !== null && freeze.until <= context.now) return;
  if (JSON.stringify(freeze) === JSON.stringify(state.freeze)) return;
  changeFreeze(decision, freeze);
  recallForbidden(decision);
}

/** Ends a freeze whose time is over. */
export function endFreeze(decision: Decision): void {
  const { freeze } = decision.state;
  if (freeze !== null && freeze.until <= decision.context.now) changeFreeze(decision, null);
}

/** Recalls the ordered merge if it contains an entry that may not merge any more and that GitHub has not been asked to merge. */
export function recallForbidden(decision: Decision): void {
  const { state } = decision;
  const isForbidden = state.merge?.steps.some(({ pr }) => {
    const entry = state.entries.get(pr);
    return entry !== undefined && !isMergeCalled(state, pr) && !mayMerge(state, entry);
  });
  if (isForbidden) recallMerge(decision);
}

function changeFreeze(decision: Decision, freeze: Freeze | null): void {
  const { entries } = decision.state;
  const shown = [...entries.values()].filter((entry) => entry.state !== "not_ready" && !skipsTheLine(entry));
  const prs = shown.slice(0, maxShown).map(({ pr }) => pr);
  decision.record({ type: "freeze_changed", freeze, prs });
}

/** Raises the alarm when pull requests have waited for too long without a merge, and ends it when something has merged, or nothing could merge. */
export function settleStall(decision: Decision, input: Input): void {
  const { lull, stall } = decision.state;
  if (stall !== null && lull?.since !== stall.since) changeStall(decision, null);
  // Only at the input `clock`, because what CI has reported is read before it.
  const due = input.type === "clock" ? stallTime(decision.state) : null;
  if (due === null || due > decision.context.now) return;
  const [since, pr] = [decision.state.lull?.since, blockerOf(decision.state)];
  if (since !== undefined && pr !== null) changeStall(decision, { since, pr });
}

function changeStall(decision: Decision, stall: Stall | null): void {
  const ready = [...decision.state.entries.values()].filter(({ state }) => state !== "not_ready");
  decision.record({ type: "stall_changed", stall, prs: ready.slice(0, maxShown).map(({ pr }) => pr) });
}
