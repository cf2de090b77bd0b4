import type { QueueState } from "../queue.ts";
import type { Targets } from "../targets.ts";
import { isActive, type TestRun } from "../test-run.ts";
import { type AdaptiveState, staleMs, type Track } from "./adaptive-state.ts";
import { ImpactIndex } from "./impact-index.ts";

/** Begins to track entries: in `parallel` mode with those that impact a common target, and what of these merged lately. */
export function consider(state: QueueState, known: AdaptiveState, prs: readonly number[]): AdaptiveState {
  if (state.settings.mode === "single")
    return prs.reduce<AdaptiveState>((next, pr) => considerOne(state, next, pr), known);
  const impacts = known.impacts ?? { live: new ImpactIndex(), landed: new ImpactIndex() };
  impacts.live.know(new Map([...known.tracks.values()].map(({ pr }) => [pr, targetsOf(state, pr)])));
  impacts.landed.know(new Map(known.landed.map(({ pr, targets }) => [pr, targets])));
  const mergedAt = new Map(known.landed.map(({ pr, at }) => [pr, at]));
  const next: AdaptiveState = { ...known, impacts };
  return prs.reduce((all, pr) => considerOne(state, all, pr, mergedAt), next);
}

function targetsOf(state: QueueState, pr: number): Targets {
  return state.entries.get(pr)?.targets ?? "ALL";
}

function considerOne(
  state: QueueState,
  known: AdaptiveState,
  pr: number,
  mergedAt: ReadonlyMap<number, number> = new Map(),
): AdaptiveState {
  const { impacts } = known;
  const entry = state.entries.get(pr);
  if (!entry || known.tracks.has(pr)) return known;
  const targets = targetsOf(state, pr);
  const neighbours = impacts?.live.overlapping(targets) ?? [];
  impacts?.live.add(pr, targets);
  let { tracks } = known;
  for (const other of neighbours) {
    const track = tracks.get(other);
    if (track) tracks = tracks.with(other, { ...track, neighbours: [...track.neighbours, pr] });
  }
  const since = entry.submittedAt - staleMs;
  const met =
    impacts?.landed.overlapping(targets).filter((other) => (mergedAt.get(other) ?? 0) > since) ?? [];
  const track: Track = {
    pr,
    neighbours,
    place: null,
    started: false,
    exposure: met.length,
    overtaken: 0,
    reds: [],
    certificates: [],
    stale: [],
    suspect: false,
    wide: false,
    isolated: false,
    screened: false,
    limit: null,
  };
  return { ...known, tracks: tracks.with(pr, track) };
}

/** What its neighbours were tested without, they were not tested on. */
export function mergeTrack(state: QueueState, known: AdaptiveState, merged: Track): AdaptiveState {
  let tracks = known.tracks.without(merged.pr);
  for (const pr of merged.neighbours) {
    const track = tracks.get(pr);
    if (!track) continue;
    const lacking = activeRunsLacking(state, pr, merged.pr);
    const overtaking = lacking.filter((run) => run.members.includes(pr)).length;
    tracks = tracks.with(pr, {
      ...track,
      neighbours: track.neighbours.filter((other) => other !== merged.pr),
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

function activeRunsLacking(state: QueueState, pr: number, merged: number): TestRun[] {
  return [...state.runs.values()].filter(
    (run) =>
      isActive(run) && (run.members.includes(pr) || run.ahead.includes(pr)) && !contains(run, merged, pr),
  );
}

/** Whether a run tests one on top of the other. Who was overtaken was tested under what has merged before it. */
function contains(run: TestRun | undefined, below: number, pr: number): boolean {
  const tree = run ? [...run.ahead, ...run.members] : [];
  const place = tree.indexOf(below);
  return place >= 0 && place < tree.indexOf(pr);
}
