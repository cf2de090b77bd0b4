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
import type { Red, Track } from "./adaptive-state.ts";
import { checksOf } from "./evidence.ts";
import { Scene } from "./scene.ts";
import { freeSlots, slotsInUse } from "./slots.ts";

/** So many failures are named, the last ones. */
const named = 3;

/** Policy `adaptive`: what keeps an entry from being tested or merged, from the outermost cause on. */
export function adaptiveLinks(state: QueueState, entry: Entry, now: number): readonly ExplainLink[] {
  const scene = Scene.of(state);
  const track = scene.track(entry.pr);
  if (entry.state === "tests_passed" || entry.state === "testing") return [aheadLink(scene, entry, track)];
  if (entry.state === "pending_failure" && track) return [undecidedLink(scene, entry, track)];
  if (!startsTests(state.status)) return [];
  return !usesLanes(state.settings)
    ? [blockLink(scene, entry, track)]
    : [startLink(scene, entry, track, now), ...behindLinks(scene, entry, track)];
}

/** Policy `adaptive`: how likely it is thought to be at fault, and by which evidence. */
export function knownLinks(state: QueueState, entry: Entry): readonly ExplainLink[] {
  const beliefs = beliefLinks(state, entry);
  // A proof says what the tests of its block have come to.
  return beliefs.some(({ code }) => code === "PROVED")
    ? beliefs
    : [...beliefs, ...verdictLinks(state, entry)];
}

function beliefLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const scene = Scene.of(state);
  const track = scene.track(entry.pr);
  const proof = track?.certificates.at(-1);
  if (track && proof) {
    const others = proof.others.filter((pr) => scene.track(pr));
    const chance = `the chance of a fault is ${percent(scene.belief(track))}`;
    const text = inSentences(`${withOthers("its test", others)} proves it`, chance);
    return [link(entry, "PROVED", text, numbers(others))];
  }
  if (!track || track.reds.length === 0) return [];
  const failures = track.reds.slice(-named).map((red) => failureText(scene, red));
  const chance = `at fault with a chance of ${percent(scene.belief(track))} (${percent(scene.prior(track))} before its tests)`;
  const refs = track.reds.slice(-named).flatMap((red) => undecided(scene, red));
  const leftOut = track.suspect ? "the tests of others leave it out" : "";
  const text = inSentences(chance, `it failed ${failures.join(", and ")}`, leftOut);
  return [link(entry, "UNDER_SUSPICION", text, numbers([...new Set(refs)]))];
}

/** What the tests of its group said, each on top of other groups that may merge before it. */
function verdictLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const verdicts = blockOf(state, entry.pr)?.verdicts.slice(-named) ?? [];
  if (verdicts.length === 0) return [];
  const below = verdicts.map(({ path }) => membersOf(state, path));
  const texts = verdicts.map(({ outcome }, index) => {
    const ahead = below[index] ?? [];
    return `${outcome} ${ahead.length === 0 ? "on what has merged" : `on top of ${listed(ahead)}`}`;
  });
  const text = inSentences("its group has been tested", texts.join(", "));
  return [link(entry, "GROUP_TESTED", text, numbers([...new Set(below.flat())]))];
}

function failureText(scene: Scene, red: Red): string {
  const others = undecided(scene, red);
  const checks = checksOf(red.failure).join(", ") || renderReason(red.failure);
  return `${others.length === 0 ? "by itself" : withOthers("together", others)} (${checks})`;
}

/** Those who may be to blame instead. */
function undecided(scene: Scene, { others }: Red): number[] {
  return others.filter((pr) => scene.track(pr)?.certificates.length === 0);
}

function withOthers(what: string, prs: readonly number[]): string {
  return prs.length === 0 ? what : `${what} with ${listed(prs)}`;
}

function percent(chance: number): string {
  const rounded = Math.round(100 * chance);
  if (rounded < 1) return "less than 1 %";
  return rounded > 99 ? "more than 99 %" : `${rounded} %`;
}

function startLink(scene: Scene, entry: Entry, track: Track | undefined, now: number): ExplainLink {
  const { state } = scene;
  const minutes = effective(state.settings, "batchingMaxWaitTimeMinutes");
  const until = entry.submittedAt + minutes * 60_000;
  const waitsForCompany =
    state.settings.batch && leastBatch(state.settings) > 1 && !entry.noBatch && !skipsTheLine(entry);
  const isDue = until <= now || track?.started || freeSlots(state).main === 0;
  if (isDue || !waitsForCompany) return heldBackLink(scene, entry, track);
  const text = `waits for company, since ${effective(state.settings, "batchingMinSize")} are tested together`;
  return { ...link(entry, "BATCH_FILLING", text), until };
}

function behindLinks(scene: Scene, entry: Entry, track: Track | undefined): ExplainLink[] {
  const next = track && scene.ahead(track).find((other) => scene.entry(other).state === "pending");
  return next ? [link(entry, "BEHIND", behindText(scene.entry(next), entry), [`#${next.pr}`])] : [];
}

/** What it would be tested on may fail: while slots are scarce another one has more use of them. */
function heldBackLink(scene: Scene, entry: Entry, track: Track | undefined, reason = ""): ExplainLink {
  const { main, any } = freeSlots(scene.state);
  const isLane = usesLanes(scene.state.settings);
  const free = isLane && track?.started ? any : main;
  const open = track ? unmerged(scene, track).filter((pr) => scene.track(pr)?.certificates.length === 0) : [];
  if (free === 0) return slotLink(scene.state, entry, slotsInUse(scene.state));
  if (open.length === 0) return nextLink(scene.state, entry);
  const tested = open.filter((pr) => scene.ownRuns(pr).length > 0);
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

function blockLink(scene: Scene, entry: Entry, track: Track | undefined): ExplainLink {
  const { state } = scene;
  if (track?.isolated) {
    const text = inSentences("it is tested by itself first", "it is too likely to fail its company");
    return link(entry, "TESTED_ALONE", text);
  }
  const block = blockOf(state, entry.pr);
  if (block) return heldBackLink(scene, entry, track);
  const until = formationTime(state);
  const text = hasRoom(state)
    ? "waits for the next group that is tested together"
    : `as many are tested as may be at once: ${state.adaptive.blocks.length} groups`;
  return { ...link(entry, "BLOCK_FORMING", text), ...(until ? { until } : {}) };
}

/** It has failed, and it is not known yet whose fault that is. */
function undecidedLink(scene: Scene, entry: Entry, track: Track): ExplainLink {
  const reason = renderReason(entry.reason);
  const members = new Set(scene.runsWith(track.pr).flatMap((run) => run.members));
  members.delete(track.pr);
  const successors = [...members];
  if (scene.isDirect(track) && successors.length > 0) {
    const text = inSentences(
      `it failed, and it waits for ${listed(successors)}, whose tests contain it`,
      reason,
    );
    return link(entry, "WAITING_FOR_SUCCESSORS", text, numbers(successors));
  }
  const others = new Set(track.reds.flatMap((red) => undecided(scene, red)));
  const tested = [...others].filter((pr) => scene.ownRuns(pr).length > 0);
  if (tested.length > 0) {
    const text = inSentences(`it failed, and it waits for the tests of ${listed(tested)}`, reason);
    return link(entry, "WAITING_FOR_VERDICT", text, numbers(tested));
  }
  const proved = scene.ahead(track).filter(({ certificates }) => certificates.length > 0);
  if (proved.length === 0) return heldBackLink(scene, entry, track, reason);
  const prs = proved.map(({ pr }) => pr);
  const text = inSentences(`it failed, and it waits for ${listed(prs)} ahead`, reason);
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(prs));
}

function aheadLink(scene: Scene, entry: Entry, track: Track | undefined): ExplainLink {
  const ahead = track ? unmerged(scene, track) : [];
  // In one line a test that is over may have said something about another path than the one that comes true.
  const verdict = entry.state === "tests_passed" ? "its tests passed" : "its tests ended";
  const text = ahead.length === 0 ? verdict : `${verdict}, and it waits for ${listed(ahead)} ahead`;
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(ahead));
}

/** In one line whatever is ahead in it; else what it depends on. */
function unmerged(scene: Scene, track: Track): number[] {
  const { adaptive, settings } = scene.state;
  if (usesLanes(settings)) return scene.ahead(track).map(({ pr }) => pr);
  const block = blockOf(scene.state, track.pr);
  const index = block ? adaptive.blocks.indexOf(block) : 0;
  return adaptive.blocks.slice(0, Math.max(0, index)).flatMap(({ members }) => members);
}
