import type { Decision } from "../../decision.ts";
import type { Observation } from "../../model/input.ts";
import { baseTip } from "../../model/queue.ts";
import { sendBackEverything } from "../line.ts";

/**
 * Records the tip of the base. Ignores a reading that is older than our own last merge. Also ignores readings while a merge is ordered,
 * because then only its outcome tells where the base is.
 */
export function observeBase(
  decision: Decision,
  { sha, asOfSeq }: Extract<Observation, { type: "base_observed" }>,
): void {
  const { state } = decision;
  if (state.merge || asOfSeq < state.baseSeq || sha === baseTip(state)) return;
  moveBaseFromOutside(decision, sha);
}

/** Records that somebody else moved the base. No run contains the new tip, so every entry is tested again. */
export function moveBaseFromOutside(decision: Decision, sha: string): void {
  decision.record({ type: "base_moved", sha, pr: null, since: decision.context.now });
  sendBackEverything(decision, { code: "BASE_MOVED", sha });
}
