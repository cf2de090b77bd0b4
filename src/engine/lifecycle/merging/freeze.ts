import type { Decision } from "../../decision.ts";
import { skipsTheLine } from "../../model/entry.ts";
import type { Observation } from "../../model/input.ts";
import type { Freeze } from "../../model/order/freeze.ts";
import { mayMerge } from "../../model/order/may-merge.ts";
import { isMergeCalled, recallMerge } from "./recall-merge.ts";

/** The maximum number of pull requests that an event of a freeze names, so that they show it. */
const maxShown = 200;

/** Begins, changes or ends the freeze. A freeze whose time is over is ignored, because the queue ends a freeze by itself. */
export function observeFreeze(
  decision: Decision,
  { freeze }: Extract<Observation, { type: "freeze_observed" }>,
): void {
  const { state, context } = decision;
  if (freeze !== null && freeze.until <= context.now) return;
  if (JSON.stringify(freeze) === JSON.stringify(state.freeze)) return;
  change(decision, freeze);
  recallForbidden(decision);
}

/** Ends a freeze whose time is over. */
export function endFreeze(decision: Decision): void {
  const { freeze } = decision.state;
  if (freeze !== null && freeze.until <= decision.context.now) change(decision, null);
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

function change(decision: Decision, freeze: Freeze | null): void {
  const { entries } = decision.state;
  const shown = [...entries.values()].filter((entry) => entry.state !== "not_ready" && !skipsTheLine(entry));
  const prs = shown.slice(0, maxShown).map(({ pr }) => pr);
  decision.record({ type: "freeze_changed", freeze, prs });
}
