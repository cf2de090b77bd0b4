import { type ExplainLink, link, nextLink, slotLink } from "../../explain/explain-link.ts";
import type { Entry } from "../../model/entry.ts";
import { type QueueState, startsTests } from "../../model/queue.ts";
import { renderReason } from "../../reasons/render-reason.ts";
import { inSentences, listed, numbers } from "../../reasons/sentence.ts";
import type { Arrangement } from "./belief-layout.ts";
import type { BeliefModel } from "./belief-model.ts";
import type { EntryEvidence, FailedRunEvidence } from "./belief-state.ts";
import { checksOf } from "./evidence.ts";

/** At most this number of failures is named, the latest ones. */
export const named = 3;

/** Policy `adaptive`: why an entry is not tested or merged, from the outermost cause on. */
export function beliefLinks(
  arrangement: Arrangement,
  state: QueueState,
  entry: Entry,
  now: number,
): readonly ExplainLink[] {
  const model = arrangement.modelOf(state);
  const track = model.track(entry.pr);
  if (entry.state === "tests_passed" || entry.state === "testing") return [aheadLink(model, entry, track)];
  if (entry.state === "pending_failure" && track) return [undecidedLink(model, entry, track)];
  if (!startsTests(state.status)) return [];
  return arrangement.waitLinks(model, entry, track, now);
}

/** Policy `adaptive`: the probability that an entry is at fault, and the evidence for it. */
export function knownLinks(
  { modelOf, verdictLinks }: Arrangement,
  state: QueueState,
  entry: Entry,
): readonly ExplainLink[] {
  const beliefs = faultLinks(modelOf(state), entry);
  // A proof already contains the outcome of the tests of its block.
  return beliefs.some(({ code }) => code === "PROVED")
    ? beliefs
    : [...beliefs, ...verdictLinks(state, entry)];
}

function faultLinks(model: BeliefModel, entry: Entry): ExplainLink[] {
  const track = model.track(entry.pr);
  const proof = track?.certificates.at(-1);
  if (track && proof) {
    const others = proof.others.filter((pr) => model.track(pr));
    const chance = `the chance of a fault is ${percent(model.belief(track))}`;
    const text = inSentences(`proved by ${withOthers("its test", others)}`, chance);
    return [link(entry, "PROVED", text, numbers(others))];
  }
  if (!track || track.reds.length === 0) return [];
  const failures = track.reds.slice(-named).map((red) => failureText(model, red));
  const chance = `at fault with a chance of ${percent(model.belief(track))} (${percent(model.prior(track))} before its tests)`;
  const refs = track.reds.slice(-named).flatMap((red) => undecided(model, red));
  const leftOut = track.suspect ? "new tests of other pull requests do not contain it" : "";
  const text = inSentences(chance, `it failed ${failures.join(", and ")}`, leftOut);
  return [link(entry, "UNDER_SUSPICION", text, numbers([...new Set(refs)]))];
}

function failureText(model: BeliefModel, red: FailedRunEvidence): string {
  const others = undecided(model, red);
  const checks = checksOf(red.failure).join(", ") || renderReason(red.failure);
  return `${others.length === 0 ? "by itself" : withOthers("together", others)} (${checks})`;
}

/** Returns the other entries that may be at fault instead. */
function undecided(model: BeliefModel, { others }: FailedRunEvidence): number[] {
  return others.filter((pr) => model.track(pr)?.certificates.length === 0);
}

function withOthers(what: string, prs: readonly number[]): string {
  return prs.length === 0 ? what : `${what} with ${listed(prs)}`;
}

function percent(chance: number): string {
  const rounded = Math.round(100 * chance);
  if (rounded < 1) return "less than 1 %";
  return rounded > 99 ? "more than 99 %" : `${rounded} %`;
}

/** Why an entry is not tested although it could be: entries ahead may fail, and while slots are scarce, other tests come first. */
export function heldBackLink(
  model: BeliefModel,
  entry: Entry,
  track: EntryEvidence | undefined,
  reason = "",
): ExplainLink {
  const open = track
    ? model.unmergedAhead(track).filter((pr) => model.track(pr)?.certificates.length === 0)
    : [];
  if (model.slotsFor(track) === 0) return slotLink(model.state, entry, model.slotsInUse);
  if (open.length === 0) return nextLink(model.state, entry);
  const tested = open.filter((pr) => model.ownRuns(pr).length > 0);
  const told = (text: string) => (reason === "" ? text : inSentences(`it failed, and it is ${text}`, reason));
  return tested.length === 0
    ? link(entry, "WAITING_FOR_AHEAD", told(`waiting for ${listed(open)} ahead`), numbers(open))
    : link(
        entry,
        "WAITING_FOR_VERDICT",
        told(`waiting for the tests of ${listed(tested)} ahead`),
        numbers(tested),
      );
}

/** Why a failed entry is undecided: it is not known yet which entry is at fault. */
function undecidedLink(model: BeliefModel, entry: Entry, track: EntryEvidence): ExplainLink {
  const reason = renderReason(entry.reason);
  const members = new Set(model.runsWith(track.pr).flatMap((run) => run.members));
  members.delete(track.pr);
  const successors = [...members];
  if (model.isDirect(track) && successors.length > 0) {
    const text = inSentences(
      `it failed, and it waits for ${listed(successors)}, whose tests contain it`,
      reason,
    );
    return link(entry, "WAITING_FOR_SUCCESSORS", text, numbers(successors));
  }
  const others = new Set(track.reds.flatMap((red) => undecided(model, red)));
  const tested = [...others].filter((pr) => model.ownRuns(pr).length > 0);
  if (tested.length > 0) {
    const text = inSentences(`it failed, and it waits for the tests of ${listed(tested)}`, reason);
    return link(entry, "WAITING_FOR_VERDICT", text, numbers(tested));
  }
  const proved = model.ahead(track).filter(({ certificates }) => certificates.length > 0);
  if (proved.length === 0) return heldBackLink(model, entry, track, reason);
  const prs = proved.map(({ pr }) => pr);
  const text = inSentences(`it failed, and it waits for ${listed(prs)} ahead`, reason);
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(prs));
}

function aheadLink(model: BeliefModel, entry: Entry, track: EntryEvidence | undefined): ExplainLink {
  const ahead = track ? model.unmergedAhead(track) : [];
  // In `single` mode, a test that has ended may have been for another path than the one that merges.
  const verdict = entry.state === "tests_passed" ? "its tests passed" : "its tests ended";
  const text = ahead.length === 0 ? verdict : `${verdict}, and it waits for ${listed(ahead)} ahead`;
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(ahead));
}
