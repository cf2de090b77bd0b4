import type { Decision } from "../../decision.ts";
import type { MergeStep } from "../../model/merge-attempt.ts";
import { halfMergedRun, mayMerge, mergedSince } from "../../model/order/dependencies.ts";

import { baseTip } from "../../model/queue.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { Certificate, EntryEvidence } from "../beliefs/belief-state.ts";

/** A suspect with at least this belief may be overtaken. A held entry may always be overtaken. */
const bypassFrom = 0.8;
/** The maximum number of times that a suspect is overtaken. */
const maxOvertaken = 12;

interface Mergeable {
  readonly evidence: EntryEvidence;
  readonly run: TestRun;
}

/** Orders the merge of the first entry whose certificate holds on the current base, with the members of its run that may follow it. */
export function startAdaptiveMerge(decision: Decision, model: BeliefModel): void {
  const { state, context } = decision;
  const base = baseTip(state);
  if (state.merge || base === null) return;
  const first = firstMergeable(model);
  if (!first) return;
  const { run } = first;
  const steps = exactSteps(model, first);
  const composed = steps === null;
  decision.record({
    type: "merge_started",
    attempt: {
      id: context.newId(),
      method: run.method,
      base,
      steps: steps ?? [composedStep(model, first)],
      composed,
    },
  });
}

function firstMergeable(model: BeliefModel): Mergeable | null {
  return restOfHalfMerged(model) ?? firstInOrder(model);
}

/** Returns the next member of a run that has merged in part. It merges before all others, because only the whole run was tested. */
function restOfHalfMerged(model: BeliefModel): Mergeable | null {
  const run = halfMergedRun(model.state);
  const pr = run?.members.find((member) => model.state.entries.has(member));
  const evidence = pr === undefined ? undefined : model.evidence(pr);
  if (!run || !evidence || !isPassedAndAllowed(model, evidence)) return null;
  return runToMergeBy(model, evidence, []) === run ? { evidence, run } : null;
}

function firstInOrder(model: BeliefModel): Mergeable | null {
  let first: Mergeable | null = null;
  for (const evidence of model.started) {
    if (evidence.certificates.length === 0 || !isPassedAndAllowed(model, evidence)) continue;
    if (first && !model.precedes(evidence, first.evidence)) continue;
    const run = runToMergeBy(model, evidence, []);
    if (run) first = { evidence, run };
  }
  return first;
}

function isPassedAndAllowed(model: BeliefModel, evidence: EntryEvidence): boolean {
  const entry = model.entry(evidence);
  return entry.state === "tests_passed" && mayMerge(model.state, entry);
}

/** Returns the run that proves that an entry may merge after the entries in `before`; null if it may not merge yet. */
function runToMergeBy(
  model: BeliefModel,
  evidence: EntryEvidence,
  before: readonly number[],
): TestRun | null {
  const usable = evidence.certificates.find((certificate) =>
    mayMergeBy(model, evidence, certificate, before),
  );
  return usable ? (model.state.runs.get(usable.runId) ?? null) : null;
}

function mayMergeBy(
  model: BeliefModel,
  evidence: EntryEvidence,
  { others }: Certificate,
  before: readonly number[],
): boolean {
  return model
    .ahead(evidence)
    .every((other) => (others.includes(other.pr) ? before.includes(other.pr) : mayBeOvertaken(model, other)));
}

export function mayBeOvertaken(model: BeliefModel, evidence: EntryEvidence): boolean {
  if (model.isHeld(evidence)) return true;
  return evidence.suspect && evidence.overtaken < maxOvertaken && model.belief(evidence) >= bypassFrom;
}

/**
 * Returns the steps that merge the tested commits unchanged: of the entry, and of the members behind it that may follow. Returns null
 * if the base is not exactly what the entry was tested on, or the entry is not a member of the run.
 */
function exactSteps(model: BeliefModel, { evidence, run }: Mergeable): MergeStep[] | null {
  const since = mergedSince(model.state, run);
  const tree = [...run.ahead, ...run.members];
  const isPrefix = since?.every((step, index) => step.pr !== null && step.pr === tree[index]) ?? false;
  const from = tree.indexOf(evidence.pr) - run.ahead.length;
  if (!isPrefix || since?.length !== tree.indexOf(evidence.pr) || from < 0) return null;
  const steps: MergeStep[] = [];
  const before: number[] = [];
  for (const pr of run.members.slice(from)) {
    const step = stepOf(run, pr);
    const next = model.evidence(pr);
    const isNext = next && runToMergeBy(model, next, before) === run;
    if (!step || !isNext || !isPassedAndAllowed(model, next)) break;
    steps.push(step);
    before.push(pr);
  }
  return steps.length > 0 ? steps : null;
}

function stepOf(run: TestRun, pr: number): MergeStep | null {
  const index = run.commits.findIndex((commit) => commit.pr === pr);
  const commit = run.commits[index];
  if (!commit) return null;
  const parentSha = run.commits[index - 1]?.commitSha ?? run.parentSha ?? run.base;
  return { ...commit, runId: run.id, parentSha };
}

/** Returns the steps of entries that one run has proved together: the tested commits if they fit the base, otherwise composed steps. */
export function stepsTogether(
  model: BeliefModel,
  run: TestRun,
  prs: readonly number[],
): { readonly steps: MergeStep[]; readonly composed: boolean } {
  const since = mergedSince(model.state, run);
  const tree = [...run.ahead, ...run.members];
  const next = tree.slice(since?.length ?? 0, (since?.length ?? 0) + prs.length);
  const isPrefix = since?.every((step, index) => step.pr !== null && step.pr === tree[index]) ?? false;
  const exact = prs.flatMap((pr) => stepOf(run, pr) ?? []);
  const isExact = isPrefix && exact.length === prs.length && prs.every((pr, index) => next[index] === pr);
  if (isExact) return { steps: exact, composed: false };
  const tracks = prs.flatMap((pr) => model.evidence(pr) ?? []);
  return { steps: tracks.map((evidence) => composedStep(model, { evidence, run })), composed: true };
}

/** The merged tree of a composed step is computed just before the merge, so only the run of the step matters here, not its SHAs. */
function composedStep(model: BeliefModel, { evidence, run }: Mergeable): MergeStep {
  const { pr, headSha } = model.entry(evidence);
  const known = stepOf(run, pr);
  if (known) return known;
  const tip = run.commits.at(-1);
  if (!tip) throw new Error(`run ${run.id} proves #${pr}, but has no test commit`);
  return {
    pr,
    runId: run.id,
    headSha,
    treeSha: tip.treeSha,
    parentSha: run.parentSha ?? run.base,
    commitSha: tip.commitSha,
  };
}
