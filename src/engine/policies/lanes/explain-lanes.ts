import { behindText, type ExplainLink, link } from "../../explain/explain-link.ts";
import { leastBatch } from "../../model/capacity/batch-size.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { effective } from "../../model/settings.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { EntryEvidence } from "../beliefs/belief-state.ts";
import { heldBackLink } from "../beliefs/explain-beliefs.ts";

/** Why a waiting entry is not tested. */
export function laneWaitLinks(
  model: BeliefModel,
  entry: Entry,
  track: EntryEvidence | undefined,
  now: number,
): readonly ExplainLink[] {
  return [startLink(model, entry, track, now), ...behindLinks(model, entry, track)];
}

function startLink(
  model: BeliefModel,
  entry: Entry,
  track: EntryEvidence | undefined,
  now: number,
): ExplainLink {
  const { state } = model;
  const minutes = effective(state.settings, "batchingMaxWaitTimeMinutes");
  const until = entry.submittedAt + minutes * 60_000;
  const waitsForCompany =
    state.settings.batch && leastBatch(state.settings) > 1 && !entry.noBatch && !skipsTheLine(entry);
  const isDue = until <= now || track?.started || model.slots.main === 0;
  if (isDue || !waitsForCompany) return heldBackLink(model, entry, track);
  const text = `waits for more pull requests, to test ${effective(state.settings, "batchingMinSize")} together`;
  return { ...link(entry, "BATCH_FILLING", text), until };
}

function behindLinks(model: BeliefModel, entry: Entry, track: EntryEvidence | undefined): ExplainLink[] {
  const next = track && model.ahead(track).find((other) => model.entry(other).state === "pending");
  return next ? [link(entry, "BEHIND", behindText(model.entry(next), entry), [`#${next.pr}`])] : [];
}
