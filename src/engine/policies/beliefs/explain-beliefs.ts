import { behindText, type ExplainLink, link, nextLink, slotLink } from "../../explain/explain-link.ts";
import { leastBatch } from "../../model/batch-size.ts";
import { type Entry, skipsTheLine } from "../../model/entry.ts";
import { type QueueState, startsTests } from "../../model/queue.ts";
import { effective, usesLanes } from "../../model/settings.ts";
import { listed, numbers } from "../../reasons/pull-request-numbers.ts";
import { renderReason } from "../../reasons/render-reason.ts";
import { inSentences } from "../../reasons/sentence.ts";
import { formationTime } from "../blocks/block-forming.ts";
import { blockOf, hasRoom, membersOf } from "../blocks/blocks.ts";
import { BeliefModel } from "./belief-model.ts";
import { beliefsOf, type EntryEvidence, type FailedRunEvidence } from "./belief-state.ts";
import { checksOf } from "./evidence.ts";
import { freeSlots, slotsInUse } from "./slots.ts";

/** At most this number of failures is named, the latest ones. */
const named = 3;

/** Policy `adaptive`: why an entry is not tested or merged, from the outermost cause on. */
export function beliefLinks(state: QueueState, entry: Entry, now: number): readonly ExplainLink[] {
  const model = BeliefModel.of(state);
  const track = model.track(entry.pr);
  if (entry.state === "tests_passed" || entry.state === "testing") return [aheadLink(model, entry, track)];
  if (entry.state === "pending_failure" && track) return [undecidedLink(model, entry, track)];
  if (!startsTests(state.status)) return [];
  return !usesLanes(state.settings)
    ? [blockLink(model, entry, track)]
    : [startLink(model, entry, track, now), ...behindLinks(model, entry, track)];
}

/** Policy `adaptive`: the probability that an entry is at fault, and the evidence for it. */
export function knownLinks(state: QueueState, entry: Entry): readonly ExplainLink[] {
  const beliefs = faultLinks(state, entry);
  // A proof already contains the outcome of the tests of its block.
  return beliefs.some(({ code }) => code === "PROVED")
    ? beliefs
    : [...beliefs, ...verdictLinks(state, entry)];
}

function faultLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const model = BeliefModel.of(state);
  const track = model.track(entry.pr);
  const proof = track?.certificates.at(-1);
  if (track && proof) {
    const others = proof.others.filter((pr) => model.track(pr));
    const chance = `the chance of a fault is ${percent(model.belief(track))}`;
    const text = inSentences(`${withOthers("its test", others)} proves it`, chance);
    return [link(entry, "PROVED", text, numbers(others))];
  }
  if (!track || track.reds.length === 0) return [];
  const failures = track.reds.slice(-named).map((red) => failureText(model, red));
  const chance = `at fault with a chance of ${percent(model.belief(track))} (${percent(model.prior(track))} before its tests)`;
  const refs = track.reds.slice(-named).flatMap((red) => undecided(model, red));
  const leftOut = track.suspect ? "the tests of others leave it out" : "";
  const text = inSentences(chance, `it failed ${failures.join(", and ")}`, leftOut);
  return [link(entry, "UNDER_SUSPICION", text, numbers([...new Set(refs)]))];
}

/** The verdicts on the block of an entry, each on top of other blocks that may merge before it. */
function verdictLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const verdicts = blockOf(state, entry.pr)?.verdicts.slice(-named) ?? [];
  if (verdicts.length === 0) return [];
  const tested = verdicts.map(({ outcome, path }) => ({ outcome, ahead: membersOf(state, path) }));
  const texts = tested.map(
    ({ outcome, ahead }) =>
      `${outcome} ${ahead.length === 0 ? "on what has merged" : `on top of ${listed(ahead)}`}`,
  );
  const text = inSentences("its group has been tested", texts.join(", "));
  return [link(entry, "GROUP_TESTED", text, numbers([...new Set(tested.flatMap(({ ahead }) => ahead))]))];
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
  const isDue = until <= now || track?.started || freeSlots(state).main === 0;
  if (isDue || !waitsForCompany) return heldBackLink(model, entry, track);
  const text = `waits for company, since ${effective(state.settings, "batchingMinSize")} are tested together`;
  return { ...link(entry, "BATCH_FILLING", text), until };
}

function behindLinks(model: BeliefModel, entry: Entry, track: EntryEvidence | undefined): ExplainLink[] {
  const next = track && model.ahead(track).find((other) => model.entry(other).state === "pending");
  return next ? [link(entry, "BEHIND", behindText(model.entry(next), entry), [`#${next.pr}`])] : [];
}

/** Why an entry is not tested although it could be: entries ahead may fail, and while slots are scarce, other tests come first. */
function heldBackLink(
  model: BeliefModel,
  entry: Entry,
  track: EntryEvidence | undefined,
  reason = "",
): ExplainLink {
  const { main, any } = freeSlots(model.state);
  const isLane = usesLanes(model.state.settings);
  const free = isLane && track?.started ? any : main;
  const open = track ? unmerged(model, track).filter((pr) => model.track(pr)?.certificates.length === 0) : [];
  if (free === 0) return slotLink(model.state, entry, slotsInUse(model.state));
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

function blockLink(model: BeliefModel, entry: Entry, track: EntryEvidence | undefined): ExplainLink {
  const { state } = model;
  if (track?.isolated) {
    const text = inSentences("it is tested by itself first", "it is too likely to fail its company");
    return link(entry, "TESTED_ALONE", text);
  }
  const block = blockOf(state, entry.pr);
  if (block) return heldBackLink(model, entry, track);
  const until = formationTime(state);
  const text = hasRoom(state)
    ? "waits for the next group that is tested together"
    : `as many are tested as may be at once: ${beliefsOf(state).blocks.length} groups`;
  return { ...link(entry, "BLOCK_FORMING", text), ...(until ? { until } : {}) };
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
  const ahead = track ? unmerged(model, track) : [];
  // In `single` mode, a test that has ended may have been for another path than the one that merges.
  const verdict = entry.state === "tests_passed" ? "its tests passed" : "its tests ended";
  const text = ahead.length === 0 ? verdict : `${verdict}, and it waits for ${listed(ahead)} ahead`;
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(ahead));
}

/** Returns the unmerged entries ahead: in `single` mode, the members of all blocks ahead; otherwise, the direct dependencies. */
function unmerged(model: BeliefModel, track: EntryEvidence): number[] {
  const { settings } = model.state;
  const { blocks } = beliefsOf(model.state);
  if (usesLanes(settings)) return model.ahead(track).map(({ pr }) => pr);
  const block = blockOf(model.state, track.pr);
  const index = block ? blocks.indexOf(block) : 0;
  return blocks.slice(0, Math.max(0, index)).flatMap(({ members }) => members);
}
