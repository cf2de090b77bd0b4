import { type ExplainLink, link, nextLink, slotLink } from "../../explain/explain-link.ts";
import type { Entry } from "../../model/entry.ts";
import { type QueueState, startsTests } from "../../model/queue.ts";
import { renderReason } from "../../reasons/render-reason.ts";
import { inSentences, listed, numbers } from "../../reasons/sentence.ts";
import type { BeliefLayout } from "./belief-layout.ts";
import type { BeliefModel } from "./belief-model.ts";
import type { EntryEvidence, FailedRunEvidence } from "./belief-state.ts";
import { checksOf } from "./evidence.ts";

/** At most this number of failures is named, the latest ones. */
export const named = 3;

/** Policy `adaptive`: why an entry is not tested or merged, from the outermost cause on. */
export function beliefLinks(
  layout: BeliefLayout,
  state: QueueState,
  entry: Entry,
  now: number,
): readonly ExplainLink[] {
  const model = layout.modelOf(state);
  const evidence = model.evidence(entry.pr);
  if (entry.state === "tests_passed" || entry.state === "testing") return [aheadLink(model, entry, evidence)];
  if (entry.state === "pending_failure" && evidence) return [undecidedLink(model, entry, evidence)];
  if (!startsTests(state.status)) return [];
  return layout.waitLinks(model, entry, evidence, now);
}

/** Policy `adaptive`: the probability that an entry is at fault, and the evidence for it. */
export function knownLinks(
  { modelOf, verdictLinks }: BeliefLayout,
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
  const evidence = model.evidence(entry.pr);
  const proof = evidence?.certificates.at(-1);
  if (evidence && proof) {
    const others = proof.others.filter((pr) => model.evidence(pr));
    const chance = `the chance of a fault is ${percent(model.belief(evidence))}`;
    const text = inSentences(`proved by ${withOthers("its test", others)}`, chance);
    return [link(entry, "PROVED", text, numbers(others))];
  }
  if (!evidence || evidence.reds.length === 0) return [];
  const failures = evidence.reds.slice(-named).map((red) => failureText(model, red));
  const chance = `at fault with a chance of ${percent(model.belief(evidence))} (${percent(model.prior(evidence))} before its tests)`;
  const refs = evidence.reds.slice(-named).flatMap((red) => undecided(model, red));
  const leftOut = evidence.suspect ? "new tests of other pull requests do not contain it" : "";
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
  return others.filter((pr) => model.evidence(pr)?.certificates.length === 0);
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
  evidence: EntryEvidence | undefined,
  reason = "",
): ExplainLink {
  const open = evidence
    ? model.unmergedAhead(evidence).filter((pr) => model.evidence(pr)?.certificates.length === 0)
    : [];
  if (model.slotsFor(evidence) === 0) return slotLink(model.state, entry, model.slotsInUse);
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
function undecidedLink(model: BeliefModel, entry: Entry, evidence: EntryEvidence): ExplainLink {
  const reason = renderReason(entry.reason);
  const members = new Set(model.runsWith(evidence.pr).flatMap((run) => run.members));
  members.delete(evidence.pr);
  const successors = [...members];
  if (model.failedAlone(evidence) && successors.length > 0) {
    const text = inSentences(
      `it failed, and it waits for ${listed(successors)}, whose tests contain it`,
      reason,
    );
    return link(entry, "WAITING_FOR_SUCCESSORS", text, numbers(successors));
  }
  const others = new Set(evidence.reds.flatMap((red) => undecided(model, red)));
  const tested = [...others].filter((pr) => model.ownRuns(pr).length > 0);
  if (tested.length > 0) {
    const text = inSentences(`it failed, and it waits for the tests of ${listed(tested)}`, reason);
    return link(entry, "WAITING_FOR_VERDICT", text, numbers(tested));
  }
  const proved = model.ahead(evidence).filter(({ certificates }) => certificates.length > 0);
  if (proved.length === 0) return heldBackLink(model, entry, evidence, reason);
  const prs = proved.map(({ pr }) => pr);
  const text = inSentences(`it failed, and it waits for ${listed(prs)} ahead`, reason);
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(prs));
}

function aheadLink(model: BeliefModel, entry: Entry, evidence: EntryEvidence | undefined): ExplainLink {
  const ahead = evidence ? model.unmergedAhead(evidence) : [];
  // In `single` mode, a test that has ended may have been for another path than the one that merges.
  const verdict = entry.state === "tests_passed" ? "its tests passed" : "its tests ended";
  const text = ahead.length === 0 ? verdict : `${verdict}, and it waits for ${listed(ahead)} ahead`;
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(ahead));
}
