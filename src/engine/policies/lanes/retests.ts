import { isJudgedAfterBase } from "../../model/base-test.ts";
import { skipsTheLine } from "../../model/entry.ts";
import { isBeingMerged } from "../../model/order/dependencies.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { EntryEvidence } from "../beliefs/belief-state.ts";
import { isScarce, type Slots } from "../beliefs/slots.ts";
import { isCertain } from "../beliefs/suspicion.ts";
import { mayBeOvertaken } from "./merging.ts";

/**
 * Returns the entries that have been tested and need another test: they have neither a usable certificate, nor an active run that could
 * give them one. Computed from the whole state each time, so that no entry can be forgotten.
 */
export function retests(model: BeliefModel, slots: Slots): EntryEvidence[] {
  const found: EntryEvidence[] = [];
  for (const evidence of model.started) {
    if (evidence.certificates.length > 0 && model.isCertified(evidence)) continue;
    if (isFree(model, evidence) && needsTest(model, evidence, slots)) found.push(evidence);
  }
  return model.inOrder(found);
}

/** Whether an entry needs only a slot to be tested. */
export function isFree(model: BeliefModel, evidence: EntryEvidence): boolean {
  const entry = model.entry(evidence);
  if (entry.heldBehind.length > 0 || entry.retryAt !== null || model.isExamined(evidence)) return false;
  return !isBeingMerged(model.state, evidence.pr);
}

/** Whether an entry without a usable certificate needs a test now. */
function needsTest(model: BeliefModel, evidence: EntryEvidence, slots: Slots): boolean {
  if (hasJustConflicted(model, evidence)) return false;
  const own = model.ownRuns(evidence.pr).filter((run) => !evidence.stale.includes(run.id));
  if (
    own.some(({ ahead, members }) =>
      model.isUpToDate(evidence, (pr) => ahead.includes(pr) || members.includes(pr)),
    )
  )
    return false;
  if (evidence.reds.length === 0) return true;
  if (isJudgedAfterBase(model.state, evidence.pr)) return false;
  if (evidence.certificates.length > 0 && hasFailedSo(model, evidence)) return false;
  // The fault is certain: the entries that it failed with are proved, and only have to merge before it is evicted. If these may not
  // overtake it any more, it is tested, because otherwise both would wait for each other.
  const waitsForMerge = mayBeOvertaken(model, evidence) && !isDecidedInFreeze(model, evidence);
  if (model.failedAlone(evidence) && isCertain(model, evidence) && waitsForMerge) return false;
  return !hasJustFailed(model, evidence) && !(isScarce(slots) && isTestedBySuccessor(model, evidence));
}

/**
 * Whether the tree to test has conflicted, and the entry is not held because another run tests it on other entries. It waits until that run
 * ends, because the same tree would be built again and again.
 */
function hasJustConflicted(model: BeliefModel, { pr, conflictsWith = [] }: EntryEvidence): boolean {
  if (conflictsWith.length === 0 || model.ownRuns(pr).length === 0) return false;
  return conflictsWith.every((ahead) => {
    const other = model.evidence(ahead);
    return other !== undefined && !model.isLeftOut(other);
  });
}

/** Whether an entry is decided during a freeze because it is urgent. The entries that it failed with do not merge during the freeze. */
function isDecidedInFreeze(model: BeliefModel, evidence: EntryEvidence): boolean {
  return model.state.freeze !== null && skipsTheLine(model.entry(evidence));
}

/** Whether a proved entry has failed on the tree to test. It passed without some dependency, so it waits until that one is decided. */
function hasFailedSo(model: BeliefModel, evidence: EntryEvidence): boolean {
  return evidence.reds.some(({ others }) => model.isUpToDate(evidence, (pr) => others.includes(pr)));
}

/**
 * Whether the tree to test has failed already, and a test of an undecided dependency in it is active or due. The verdict on that dependency
 * comes first.
 */
function hasJustFailed(model: BeliefModel, evidence: EntryEvidence): boolean {
  const open = model
    .ahead(evidence)
    .filter((other) => !model.isLeftOut(other) && other.certificates.length === 0);
  const isBusy = (other: EntryEvidence) =>
    model.ownRuns(other.pr).length > 0 || model.entry(other).retryAt !== null;
  if (!open.some(isBusy)) return false;
  const suspects = new Set(open.map(({ pr }) => pr));
  return evidence.reds.some(({ others }) => {
    const left = others.filter((pr) => {
      const other = model.evidence(pr);
      return other !== undefined && other.certificates.length === 0;
    });
    return left.length === suspects.size && left.every((pr) => suspects.has(pr));
  });
}

/** Whether a failed entry is already in the test of a successor that contains no other suspect. */
function isTestedBySuccessor(model: BeliefModel, evidence: EntryEvidence): boolean {
  if (!model.failedAlone(evidence)) return false;
  return model.runsWith(evidence.pr).some((run) => {
    if (run.members.includes(evidence.pr) || evidence.stale.includes(run.id)) return false;
    return ![...run.ahead, ...run.members].some((pr) => {
      const other = pr === evidence.pr ? undefined : model.evidence(pr);
      return other?.suspect && other.certificates.length === 0;
    });
  });
}
