import type { QueueState } from "../../model/queue.ts";
import { type BeliefState, considered, type EntryEvidence } from "./belief-state.ts";

/** What is asked of the tracks again and again. */
export interface Noted {
  readonly all: ReadonlyMap<number, EntryEvidence>;
  /** Those that have been a member of a run. */
  readonly started: readonly EntryEvidence[];
  readonly accused: readonly EntryEvidence[];
  /** Those that are tested by themselves. */
  readonly isolated: readonly EntryEvidence[];
}

/** Most events leave the tracks as they were. */
const noted = new WeakMap<BeliefState["tracks"], Noted>();

export function notedIn(tracks: BeliefState["tracks"]): Noted {
  const known = noted.get(tracks);
  if (known) return known;
  const all = new Map<number, EntryEvidence>();
  const started: EntryEvidence[] = [];
  const accused: EntryEvidence[] = [];
  const isolated: EntryEvidence[] = [];
  tracks.forEach((track) => {
    all.set(track.pr, track);
    if (track.started) started.push(track);
    if (track.reds.length > 0 || track.suspect) accused.push(track);
    if (track.isolated) isolated.push(track);
  });
  const found = { all, started, accused, isolated };
  noted.set(tracks, found);
  return found;
}

const places = new WeakMap<QueueState["waiting"], ReadonlyMap<number, number>>();

/** Where each stands that waits, as far as waiting entries are considered. */
export function placesIn(waiting: QueueState["waiting"]): ReadonlyMap<number, number> {
  const known = places.get(waiting);
  if (known) return known;
  const found = new Map<number, number>();
  for (const pr of waiting.values()) {
    if (found.size >= considered) break;
    found.set(pr, found.size);
  }
  places.set(waiting, found);
  return found;
}

/** Those that have started, and those that stand in the line without having started, in the order of their numbers. */
export function withTheLine({ all, started }: Noted, { line }: QueueState): readonly EntryEvidence[] {
  const others: EntryEvidence[] = [];
  for (const { entry } of line.standings) {
    const track = all.get(entry.pr);
    if (track && !track.started) others.push(track);
  }
  return others.length === 0 ? started : [...started, ...others].sort((a, b) => a.pr - b.pr);
}
