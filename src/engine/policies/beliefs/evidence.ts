import type { SortedMap } from "../../collections/sorted-map.ts";
import type { TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import type { EntryEvidence, FailedRunEvidence } from "./belief-state.ts";

type Tracks = SortedMap<number, EntryEvidence>;

/** So many failures are remembered of each entry. */
const maxReds = 10;
/** A failure of more suspects than this says something about the run's own members only. */
const maxAccused = 12;

/** Holds a failure against everything in its tree that is not proved; null when all of it is, so that the run flaked. */
export function incriminate(tracks: Tracks, run: TestRun, failure: Reason): Tracks | null {
  const tree = [...run.ahead, ...run.members];
  const accused = tree
    .flatMap((pr) => tracks.get(pr) ?? [])
    .filter((track) => !isProvedIn(track, run) && !track.stale.includes(run.id));
  if (accused.length === 0) return null;
  const blamed = accused.length > maxAccused ? accused.filter(({ pr }) => run.members.includes(pr)) : accused;
  let next = tracks;
  for (const track of blamed) {
    const red = { runId: run.id, others: tree.filter((pr) => pr !== track.pr), failure };
    next = next.with(track.pr, { ...track, reds: remembered([...track.reds, red]) });
  }
  return next;
}

/** What a member has passed without something that it fails on top of does not clear it. */
function isProvedIn({ pr, neighbours, certificates }: EntryEvidence, { ahead, members }: TestRun): boolean {
  if (!members.includes(pr)) return certificates.length > 0;
  const tree = [...ahead, ...members];
  const below = tree.slice(0, tree.indexOf(pr)).filter((other) => neighbours.includes(other));
  return certificates.some(({ others }) => below.every((other) => others.includes(other)));
}

/** The widest says least, and is forgotten first. */
function remembered(reds: readonly FailedRunEvidence[]): readonly FailedRunEvidence[] {
  if (reds.length <= maxReds) return reds;
  const shared = reds.findIndex(({ others }) => others.length > 0);
  return reds.filter((_, index) => index !== Math.max(0, shared));
}

/** Whether it has failed alone, or in the company only of what is proved. */
export function isDirect(track: EntryEvidence, tracks: Tracks): boolean {
  return track.reds.some(({ others }) =>
    others.every((pr) => (tracks.get(pr)?.certificates.length ?? 1) > 0),
  );
}

/** The last time that it failed alone, or with what has merged since. */
export function conviction({ reds }: EntryEvidence, tracks: Tracks): FailedRunEvidence | null {
  return reds.findLast(({ others }) => !others.some((pr) => tracks.has(pr))) ?? null;
}

/** The checks that failed. */
export function checksOf(failure: Reason): readonly string[] {
  return failure.code === "CHECKS_FAILED" ? failure.checks.map(({ name }) => name) : [];
}
