import { type QueueState, requireEntry } from "../../model/queue.ts";
import type { Targets } from "../../model/targets.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import { ImpactIndex } from "../lanes/impact-index.ts";
import { type BeliefState, type EntryEvidence, staleMs } from "./belief-state.ts";
import { notedIn } from "./evidence-index.ts";

/** Starts to track entries, without neighbours. */
export function considerAlone(state: QueueState, known: BeliefState, prs: readonly number[]): BeliefState {
  const unknown = untracked(state, known, prs);
  return { ...known, tracks: unknown.reduce((all, pr) => all.with(pr, newTrack(pr)), known.tracks) };
}

function untracked(state: QueueState, known: BeliefState, prs: readonly number[]): number[] {
  return [...new Set(prs)].filter((pr) => state.entries.has(pr) && !known.tracks.has(pr));
}

/** Starts to track entries, with their neighbours, and the number of pull requests that merged recently among these. */
export function considerNeighbours(
  state: QueueState,
  known: BeliefState,
  prs: readonly number[],
): BeliefState {
  const impacts = known.impacts ?? new ImpactIndex();
  const recentMerges = new Map(known.recentMerges.map((one) => [one.pr, one]));
  const tracked = notedIn(known.tracks).all;
  impacts.know(
    [...tracked.keys(), ...recentMerges.keys()],
    (pr) => recentMerges.get(pr)?.targets ?? targetsOf(state, pr),
  );
  const begun = new Map<number, EntryEvidence>();
  // Collected for all entries first: each may have hundreds of neighbours, and each of these copies its list only once.
  const met = new Map<number, number[]>();
  for (const pr of untracked(state, known, prs)) {
    const targets = targetsOf(state, pr);
    const overlapping = impacts.overlapping(targets);
    impacts.add(pr, targets);
    const neighbours = overlapping.filter((other) => tracked.has(other) || begun.has(other));
    for (const other of neighbours) {
      const others = met.get(other);
      if (others) others.push(pr);
      else met.set(other, [pr]);
    }
    const since = requireEntry(state, pr).submittedAt - staleMs;
    const isExposedTo = (other: number) => (recentMerges.get(other)?.at ?? Number.NEGATIVE_INFINITY) > since;
    const exposure = overlapping.filter(isExposedTo).length;
    begun.set(pr, { ...newTrack(pr), neighbours, exposure });
  }
  let { tracks } = known;
  for (const track of begun.values()) tracks = tracks.with(track.pr, track);
  for (const [pr, others] of met) {
    const track = tracks.get(pr);
    if (track) tracks = tracks.with(pr, { ...track, neighbours: [...track.neighbours, ...others] });
  }
  return { ...known, impacts, tracks };
}

function targetsOf(state: QueueState, pr: number): Targets {
  return state.entries.get(pr)?.targets ?? "ALL";
}

function newTrack(pr: number): EntryEvidence {
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
export function mergeTrack(state: QueueState, known: BeliefState, merged: EntryEvidence): BeliefState {
  let tracks = known.tracks.without(merged.pr);
  const runsLacking = activeRunsLacking(state, merged.pr);
  for (const pr of merged.neighbours) {
    const track = tracks.get(pr);
    if (!track) continue;
    const lacking = runsLacking.get(pr) ?? [];
    const overtaking = lacking.filter((run) => run.members.includes(pr)).length;
    tracks = tracks.with(pr, {
      ...track,
      neighbours: withoutNeighbour(track, merged.pr),
      exposure: track.exposure + 1,
      overtaken: track.overtaken + overtaking,
      certificates: track.certificates.filter(({ runId }) => contains(state.runs.get(runId), merged.pr, pr)),
      stale: [...new Set([...track.stale, ...lacking.map(({ id }) => id)])]
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
