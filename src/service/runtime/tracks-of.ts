import { explain } from "../../engine/explain/explain.ts";
import { medianOf } from "../../engine/model/capacity/history.ts";
import { evaluateChecks } from "../../engine/model/checks/required-checks.ts";
import { currentChecks } from "../../engine/model/checks/run-checks.ts";
import type { Entry } from "../../engine/model/entry.ts";
import { depend, isBeingMerged, remainingAhead } from "../../engine/model/order/dependencies.ts";
import { baseTip, type QueueState, runOf } from "../../engine/model/queue.ts";
import { usesLanes } from "../../engine/model/settings.ts";
import { isActive, type TestRun, testedSha } from "../../engine/model/test-run.ts";
import { policyOf } from "../../engine/policies/policy-of.ts";
import { searchesOf } from "../../engine/policies/searches-of.ts";
import type { Forecasts } from "./forecasts.ts";
import type { Car, Lane, QueueTracks, Track } from "./queue-tracks.ts";

/** The maximum number of tests and of waiting pull requests that are drawn. More would not be read, and would make the page slow. */
const mostTracks = 40;
/**
 * The maximum number of pull requests in tests that are drawn with a title. Each names the others that depend on it, so the page grows with
 * the square of their number.
 */
const mostCars = 100;
const mostWaiting = 12;
const mostSearches = 8;
const mostOfSearch = 24;
/** Titles are drawn in one line. */
const longestTitle = 200;

/** Describes what a queue tests on top of what. The cost does not depend on the number of waiting pull requests. */
export function tracksOf(state: QueueState, forecasts: Forecasts): QueueTracks {
  const searches = searchesOf(state)
    .slice(0, mostSearches)
    .map((search) => ({ ...search, tests: search.tests.slice(0, mostOfSearch) }));
  const runs = runsToDraw(state, new Set(searches.flatMap(({ tests }) => tests.map(({ runId }) => runId))));
  const drawn = runs.slice(0, mostTracks);
  const waiting = firstWaiting(state);
  const tracks = [...directMerge(state), ...drawn.map((run) => trackOf(state, run, forecasts))];
  const { baseTest, tries } = state;
  const others = [baseTest, ...[...tries.values()].map(({ run }) => run)].filter((run) => run !== null);
  const prs = [
    ...tracks.flatMap(({ members }) => members).slice(0, mostCars),
    ...searches.flatMap((search) => search.prs.slice(0, mostOfSearch)),
    ...waiting,
  ];
  const entries = [...new Set(prs)].flatMap((pr) => state.entries.get(pr) ?? []);
  const restarts = restartsOf(state, entries);
  const cars = entries.map((entry) => carOf(state, entry, restarts.get(entry.pr) ?? [], forecasts.now));
  const waitingInAll = state.entries.size - state.line.length - state.unready.size;
  return {
    at: forecasts.now,
    branch: state.branch,
    baseSha: baseTip(state),
    slots: policyOf(state).slotsInUse(state),
    usualTestMs: medianOf(state.history.testMs),
    lanes: lanesOf(state, tracks, waiting),
    others: others.slice(0, mostTracks).map((run) => trackOf(state, run, forecasts)),
    searches,
    cars: Object.fromEntries(cars.map((car) => [car.pr, car])),
    moreTracks: runs.length - drawn.length,
    moreWaiting: Math.max(0, waitingInAll - waiting.length),
  };
}

/** The runs that decide about entries in the line, in its order, and the other tests in progress, except those of a search. */
function runsToDraw(state: QueueState, searching: ReadonlySet<string | null>): readonly TestRun[] {
  const isInSearch = ({ id, kind, block }: TestRun) =>
    searching.has(id) && (kind === "bisection" || isAlone(state, block));
  const deciding = state.line.entries.flatMap(({ run }) => (run && !isInSearch(run) ? [run] : []));
  const active = [...state.runs.values()].filter((run) => isActive(run) && !isInSearch(run));
  const place = ({ members }: TestRun) => state.line.indexOf(members[0]);
  const decides = new Set(deciding);
  const rest = active.filter((run) => !decides.has(run));
  return [...decides, ...rest.sort((a, b) => place(a) - place(b))];
}

function firstWaiting(state: QueueState): readonly number[] {
  const found: number[] = [];
  for (const index of [state.direct, state.waiting, state.held, state.delayed])
    for (const pr of index.values()) {
      if (found.length === mostWaiting) return found;
      const isTested = state.line.includes(pr) || isBeingMerged(state, pr);
      if (!isTested) found.push(pr);
    }
  return found;
}

function trackOf(state: QueueState, run: TestRun, forecasts: Forecasts): Track {
  const { id, members, startedAt } = run;
  const ahead = remainingAhead(state, run) ?? run.ahead;
  const last = state.entries.get(members.at(-1) ?? members[0]);
  const isMerging = state.merge?.steps.some(({ runId }) => runId === id) ?? false;
  return {
    runId: id,
    kind: kindOf(state, run),
    state: isMerging ? "merging" : run.state,
    ahead: inBatches(state, ahead),
    members: run.ofBase ? [] : members,
    without: withoutOf(state, run, ahead),
    startedAt,
    sha: testedSha(run),
    checks: checksOf(run),
    merges: last ? forecasts.of(state, last.pr) : null,
  };
}

/** The required checks of a run, and their results. */
export function checksOf(run: TestRun): Track["checks"] {
  const verdict = evaluateChecks(run.required, currentChecks(run, run.checks));
  const failed = new Set(verdict.failed.map(({ name }) => name));
  const open = new Set([...verdict.pending, ...verdict.missing]);
  return run.required.map(({ name }) => ({
    name,
    state: failed.has(name) ? "failed" : open.has(name) ? "open" : "passed",
  }));
}

function kindOf(state: QueueState, { id, members, ofBase, hedge, block }: TestRun): Track["kind"] {
  if (ofBase) return "base";
  if (state.tries.get(members[0])?.run?.id === id) return "try";
  if (isAlone(state, block)) return "alone";
  const decides = members.some((pr) => state.entries.get(pr)?.runId === id);
  return hedge || !decides ? "spare" : "main";
}

/** Whether a run tests its member by itself although other tests contain the entries ahead: strategy `beliefs` in `single` mode. */
function isAlone({ strategy, settings }: QueueState, block: TestRun["block"]): boolean {
  return strategy === "beliefs" && !usesLanes(settings) && block === undefined;
}

/** A merge of a pull request that needs no test. */
function directMerge({ merge }: QueueState): readonly Track[] {
  if (!merge?.direct) return [];
  const members = merge.steps.map(({ pr }) => pr);
  const run = { kind: "main", state: "merging", ahead: [], without: [], checks: [], sha: null } as const;
  return [{ ...run, runId: merge.id, members, startedAt: merge.startedAt, merges: null }];
}

/** Groups neighbours that are tested by one run. */
function inBatches({ entries }: QueueState, prs: readonly number[]): readonly (readonly number[])[] {
  const batches: number[][] = [];
  let last: string | null = null;
  for (const pr of prs) {
    const runId = entries.get(pr)?.runId ?? null;
    if (runId !== null && runId === last) batches.at(-1)?.push(pr);
    else batches.push([pr]);
    last = runId;
  }
  return batches;
}

/** In one line, everything ahead that a test leaves out is assumed to leave. */
function withoutOf(state: QueueState, run: TestRun, ahead: readonly number[]): readonly number[] {
  if (run.hedge) return run.hedge.against === null ? [] : [run.hedge.against];
  const place = state.line.indexOf(run.members[0]);
  if (usesLanes(state.settings) || place < 0 || isAlone(state, run.block)) return [];
  const tree = new Set([...ahead, ...run.members]);
  const isLeftOut = (pr: number) => !tree.has(pr);
  return state.line.entries.slice(0, place).flatMap(({ entry, run: other }) => {
    return isLeftOut(entry.pr) && !(other && isAlone(state, other.block)) ? [entry.pr] : [];
  });
}

function carOf(state: QueueState, entry: Entry, restarts: readonly number[], now: number): Car {
  const { pr, title, author, priority } = entry;
  const run = runOf(state, entry);
  const members = run?.members.slice(0, Math.max(0, run.members.indexOf(pr))) ?? [];
  return {
    pr,
    title: title.slice(0, longestTitle),
    author: author.slice(0, longestTitle),
    state: entry.state,
    priority: priority.isDefault ? null : priority.name,
    ahead: [...((run && remainingAhead(state, run)) ?? []), ...members],
    restarts,
    why: explain(state, entry, now)
      .map(({ text }) => text)
      .join(" → "),
  };
}

/**
 * For each entry, the pull requests that are tested again if it leaves, in the order of the line: those whose tests contain it, and
 * those of its bisection.
 */
function restartsOf(
  { runs, line, merge }: QueueState,
  entries: readonly Entry[],
): ReadonlyMap<number, readonly number[]> {
  const found = new Map(entries.map(({ pr }) => [pr, new Set<number>()]));
  for (const { hedge, ahead, members } of runs.values())
    for (const part of hedge ? [] : [ahead, members])
      for (const pr of part) {
        const touched = found.get(pr);
        if (touched) for (const member of members) touched.add(member);
      }
  for (const { pr, bisectionId } of entries)
    for (const { entry } of bisectionId === null ? [] : line.entries)
      if (entry.bisectionId === bisectionId) found.get(pr)?.add(entry.pr);
  // A pull request that GitHub has been asked to merge cannot be cancelled any more.
  for (const { pr } of merge?.steps.slice(0, merge.called ?? 0) ?? []) found.get(pr)?.clear();
  const inLine = [...line];
  return new Map(
    [...found].map(([pr, others]) => [
      pr,
      others.size === 0 ? [] : inLine.filter((other) => other !== pr && others.has(other)),
    ]),
  );
}

/** Tests with a common pull request are in one lane. A waiting pull request is in the first lane that it depends on. */
function lanesOf(state: QueueState, tracks: readonly Track[], waiting: readonly number[]): readonly Lane[] {
  if (!usesLanes(state.settings)) return tracks.length + waiting.length === 0 ? [] : [{ tracks, waiting }];
  const groups: { readonly prs: Set<number>; readonly tracks: Track[] }[] = [];
  for (const track of tracks) {
    const tree = [...track.ahead.flat(), ...track.members];
    const joined = groups.filter(({ prs }) => tree.some((pr) => prs.has(pr)));
    const [first = { prs: new Set<number>(), tracks: [] }, ...others] = joined;
    if (joined.length === 0) groups.push(first);
    for (const other of others) {
      groups.splice(groups.indexOf(other), 1);
      first.tracks.push(...other.tracks);
      for (const pr of other.prs) first.prs.add(pr);
    }
    first.tracks.push(track);
    for (const pr of tree) first.prs.add(pr);
  }
  const isIn = (prs: ReadonlySet<number>, pr: number) => {
    const entry = state.entries.get(pr);
    return [...prs].some((other) => {
      const ahead = state.entries.get(other);
      return entry && ahead && depend(state, ahead, entry);
    });
  };
  const laneOf = (pr: number) => groups.find(({ prs }) => isIn(prs, pr));
  const inLanes = groups.map((group) => ({
    tracks: group.tracks.toSorted((a, b) => tracks.indexOf(a) - tracks.indexOf(b)),
    waiting: waiting.filter((pr) => laneOf(pr) === group),
  }));
  const free = waiting.filter((pr) => laneOf(pr) === undefined);
  return free.length === 0 ? inLanes : [...inLanes, { tracks: [], waiting: free }];
}
