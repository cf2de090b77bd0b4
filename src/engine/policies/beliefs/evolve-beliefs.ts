import { type Entry, isTerminal } from "../../model/entry.ts";
import type { Event, EventOf } from "../../model/event.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Targets } from "../../model/targets.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import {
  afterDecision,
  afterFlake,
  type BeliefState,
  beliefsOf,
  type EntryEvidence,
  faultRate,
  type Rates,
  type RecentMerge,
  staleMs,
} from "./belief-state.ts";
import { checksOf, failedAlone } from "./evidence.ts";

/** Returns the evidence after an event that means the same in lanes and in blocks, given the states before and after it. */
export function beliefsAfter(before: QueueState, after: QueueState, { data, at }: Event): BeliefState {
  const isBaseSound = before.history.baseFinding?.verdict === "failed" && after.history.baseFinding === null;
  const known = isBaseSound ? withoutFailures(beliefsOf(after)) : beliefsOf(after);
  switch (data.type) {
    case "run_started":
      return place(known, data.run.ahead, data.run.members);
    case "run_discarded":
      return {
        ...withConflict(withoutCertificatesOf(known, before.runs.get(data.runId)), data),
        preemptedAt: data.reason.code === "SLOT_NEEDED" ? at : known.preemptedAt,
      };
    case "run_requirements_changed":
      return data.reopens ? withoutVerdictOf(known, before.runs.get(data.runId)) : known;
    case "entry_certified":
      return certify(after, known, data.pr, data.runId);
    case "entry_suspected":
      return revise(known, data.pr, { suspect: data.suspect });
    case "evidence_dropped":
      return data.prs.reduce((next, pr) => drop(next, pr, data.inPlace), known);
    case "entry_moved":
      return end(before, after, known, data, at);
    default:
      return known;
  }
}

/** Failures while the base itself failed say nothing about the entries. */
function withoutFailures(known: BeliefState): BeliefState {
  let next = known;
  for (const { pr, reds, suspect } of known.tracks.values())
    if (reds.length > 0 || suspect) next = revise(next, pr, { reds: [], suspect: false });
  return next;
}

/** Returns the changes that drop the evidence of an entry. They keep `stale`, because runs that lack a merged neighbour may still pass. */
function fresh(inPlace: boolean): Partial<EntryEvidence> {
  const forgotten = {
    started: false,
    reds: [],
    certificates: [],
    suspect: false,
    overtaken: 0,
    isolated: false,
    passedInIsolation: false,
  };
  return inPlace ? forgotten : { ...forgotten, place: null };
}

/** Drops the evidence of an entry. If it loses its place, it follows entries that were proved on top of it, and these proofs end. */
function drop(known: BeliefState, pr: number, inPlace: boolean): BeliefState {
  const own = revise(known, pr, fresh(inPlace));
  return inPlace ? own : withoutProofsOf(own, pr);
}

/** Removes the certificates of a discarded run, because its commits cannot be merged any more. */
function withoutCertificatesOf(known: BeliefState, run: TestRun | undefined): BeliefState {
  let { tracks } = known;
  for (const pr of run?.state === "passed" ? [...run.ahead, ...run.members] : []) {
    const evidence = tracks.get(pr);
    const certificates = evidence?.certificates.filter(({ runId }) => runId !== run?.id);
    if (evidence && certificates && certificates.length < evidence.certificates.length)
      tracks = tracks.with(pr, { ...evidence, certificates });
  }
  return { ...known, tracks };
}

/** Removes the evidence of a run that is running again. */
function withoutVerdictOf(known: BeliefState, run: TestRun | undefined): BeliefState {
  let { tracks } = withoutCertificatesOf(known, run);
  for (const pr of run?.state === "failed" ? [...run.ahead, ...run.members] : []) {
    const evidence = tracks.get(pr);
    const reds = evidence?.reds.filter(({ runId }) => runId !== run?.id);
    if (evidence && reds) tracks = tracks.with(pr, { ...evidence, reds });
  }
  return { ...known, tracks };
}

function withConflict(known: BeliefState, { pr, reason }: EventOf<"run_discarded">): BeliefState {
  return reason.code === "CONFLICT_WITH_AHEAD" ? revise(known, pr, { conflictsWith: reason.prs }) : known;
}

export function revise(known: BeliefState, pr: number, changes: Partial<EntryEvidence>): BeliefState {
  const evidence = known.tracks.get(pr);
  return evidence ? { ...known, tracks: known.tracks.with(pr, { ...evidence, ...changes }) } : known;
}

function place(known: BeliefState, ahead: readonly number[], members: readonly number[]): BeliefState {
  let { tracks, places } = known;
  for (const [index, pr] of [...ahead, ...members].entries()) {
    const evidence = tracks.get(pr);
    const started = index >= ahead.length;
    if (!evidence || (evidence.place !== null && (evidence.started || !started))) continue;
    tracks = tracks.with(pr, {
      ...evidence,
      place: evidence.place ?? ++places,
      started: evidence.started || started,
    });
  }
  return { ...known, tracks, places };
}

function certify(state: QueueState, known: BeliefState, pr: number, runId: string): BeliefState {
  const evidence = known.tracks.get(pr);
  const run = state.runs.get(runId);
  if (!evidence || !run) return known;
  const others = [...run.ahead, ...run.members].filter((other) => other !== pr && state.entries.has(other));
  const rates = failedAlone(evidence, known.tracks) ? cleared(known.rates, evidence) : known.rates;
  const certificates = [...evidence.certificates, { runId, others }];
  const certified = { certificates, reds: [], started: true, suspect: false };
  return { ...revise(known, pr, certified), rates };
}

/** Counts the failures of an entry as flakes. Only the entry could be at fault, and it has passed now. */
function cleared(rates: Rates, { reds }: EntryEvidence): Rates {
  const checks = new Set(reds.flatMap(({ failure }) => checksOf(failure)));
  return { ...afterFlake(rates, [...checks]), runs: rates.runs + 1 };
}

function end(
  before: QueueState,
  after: QueueState,
  known: BeliefState,
  { pr, to, reason }: EventOf<"entry_moved">,
  at: number,
): BeliefState {
  const evidence = known.tracks.get(pr);
  const entry = before.entries.get(pr);
  if (!entry || (!isTerminal(to) && to !== "not_ready")) return known;
  const recentMerges = to === "merged" ? withRecentMerge(known.recentMerges, entry, at) : known.recentMerges;
  if (!evidence) return { ...known, recentMerges };
  const own = entry.risk ?? faultRate(known.rates);
  const isVerdict = to === "merged" || reason.code === "CHECKS_FAILED" || reason.code === "TESTING_TIMEOUT";
  const rates = isVerdict ? afterDecision(known.rates, own, evidence.exposure, to === "merged") : known.rates;
  const isByOthers = reason.code === "MERGED_BY_OTHERS";
  // If others merged it as it was tested, the base moved by its merge.
  const isAsTested = to === "merged" && (!isByOthers || before.base.at(-1)?.pr === pr);
  const next = isAsTested ? mergeEvidence(after, known, evidence) : withoutEvidenceOf(known, pr);
  // A pull request that others merged may be at fault for failures together with it, so that these no longer count.
  return { ...(isByOthers ? withoutProofsOf(next, pr, true) : next), rates, recentMerges };
}

function withRecentMerge(
  recentMerges: readonly RecentMerge[],
  { pr, targets }: Entry,
  at: number,
): readonly RecentMerge[] {
  const kept = recentMerges.filter((one) => one.at > at - staleMs);
  const own: Targets = targets ?? "ALL";
  return own !== "ALL" && own.size === 0 ? kept : [...kept, { pr, targets: own, at }];
}

/** Removes an entry that has not merged through the queue, or whose targets change. */
export function withoutEvidenceOf(known: BeliefState, pr: number): BeliefState {
  const left = known.tracks.get(pr);
  if (!left) return known;
  let tracks = known.tracks.without(pr);
  for (const other of left.neighbours) {
    const evidence = tracks.get(other);
    if (!evidence) continue;
    tracks = tracks.with(other, { ...evidence, neighbours: withoutNeighbour(evidence, pr) });
  }
  return withoutProofsOf({ ...known, tracks }, pr);
}

/** Removes the failures of all runs that contained a pull request, and their certificates, unless these still count. */
function withoutProofsOf(known: BeliefState, pr: number, keepsCertificates = false): BeliefState {
  const lacks = ({ others }: { readonly others: readonly number[] }) => !others.includes(pr);
  let { tracks } = known;
  for (const evidence of known.tracks.values()) {
    const reds = evidence.reds.filter(lacks);
    const certificates = keepsCertificates ? evidence.certificates : evidence.certificates.filter(lacks);
    if (reds.length + certificates.length < evidence.reds.length + evidence.certificates.length)
      tracks = tracks.with(evidence.pr, { ...evidence, reds, certificates });
  }
  return { ...known, tracks };
}

/** Starts to track entries, without neighbours. */
export function considerAlone(state: QueueState, known: BeliefState, prs: readonly number[]): BeliefState {
  const unknown = untracked(state, known, prs);
  return { ...known, tracks: unknown.reduce((all, pr) => all.with(pr, newEvidence(pr)), known.tracks) };
}

export function untracked(state: QueueState, known: BeliefState, prs: readonly number[]): number[] {
  return [...new Set(prs)].filter((pr) => state.entries.has(pr) && !known.tracks.has(pr));
}

export function newEvidence(pr: number): EntryEvidence {
  return {
    pr,
    neighbours: [],
    place: null,
    started: false,
    exposure: 0,
    overtaken: 0,
    reds: [],
    certificates: [],
    stale: [],
    suspect: false,
    useTransitiveDependencies: false,
    isolated: false,
    passedInIsolation: false,
    limit: null,
  };
}

/** Removes a merged entry. The certificates and active runs of its neighbours that do not contain it no longer count. */
export function mergeEvidence(state: QueueState, known: BeliefState, merged: EntryEvidence): BeliefState {
  let tracks = known.tracks.without(merged.pr);
  const runsLacking = activeRunsLacking(state, merged.pr);
  for (const pr of merged.neighbours) {
    const evidence = tracks.get(pr);
    if (!evidence) continue;
    const lacking = runsLacking.get(pr) ?? [];
    const overtaking = lacking.filter((run) => run.members.includes(pr)).length;
    tracks = tracks.with(pr, {
      ...evidence,
      neighbours: withoutNeighbour(evidence, merged.pr),
      exposure: evidence.exposure + 1,
      overtaken: evidence.overtaken + overtaking,
      certificates: evidence.certificates.filter(({ runId }) =>
        contains(state.runs.get(runId), merged.pr, pr),
      ),
      stale: [...new Set([...evidence.stale, ...lacking.map(({ id }) => id)])]
        .filter((id) => state.runs.has(id))
        .sort(),
    });
  }
  return { ...known, tracks };
}

/**
 * Returns the neighbours without this one. `toSpliced` is several times as fast as `filter`, which matters because an entry may have a
 * thousand neighbours, and all of these lose one.
 */
export function withoutNeighbour({ neighbours }: EntryEvidence, pr: number): readonly number[] {
  const place = neighbours.indexOf(pr);
  return place < 0 ? neighbours : neighbours.toSpliced(place, 1);
}

/** Returns the active runs that test an entry without the merged one ahead of it, by the number of the entry. */
function activeRunsLacking(state: QueueState, merged: number): ReadonlyMap<number, TestRun[]> {
  const found = new Map<number, TestRun[]>();
  for (const run of state.runs.values()) {
    if (!isActive(run)) continue;
    for (const pr of [...run.ahead, ...run.members]) {
      if (pr === merged) break;
      const runs = found.get(pr);
      if (runs) runs.push(run);
      else found.set(pr, [run]);
    }
  }
  return found;
}

/** Whether a run tests `pr` on top of `below`. The tree of an overtaken entry may contain `below` behind it, which does not count. */
function contains(run: TestRun | undefined, below: number, pr: number): boolean {
  const tree = run ? [...run.ahead, ...run.members] : [];
  const place = tree.indexOf(below);
  return place >= 0 && place < tree.indexOf(pr);
}
