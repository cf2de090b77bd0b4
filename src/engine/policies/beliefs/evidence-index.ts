import { oncePer } from "../../collections/once-per.ts";
import type { QueueState } from "../../model/queue.ts";
import { type BeliefState, considered, type EntryEvidence } from "./belief-state.ts";

/** Indexes of the tracks for frequent queries. */
export interface Noted {
  readonly all: ReadonlyMap<number, EntryEvidence>;
  /** The entries that have been a member of a run, or have been proved. */
  readonly started: readonly EntryEvidence[];
  readonly accused: readonly EntryEvidence[];
  /** The entries that are tested by themselves. */
  readonly isolated: readonly EntryEvidence[];
}

/** Cached, because most events do not change the tracks. */
export const notedIn = oncePer((tracks: BeliefState["tracks"]): Noted => {
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
  return { all, started, accused, isolated };
});

/** Returns the position of each waiting entry, up to the maximum number that is considered. */
export const placesIn = oncePer((waiting: QueueState["waiting"]): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  for (const pr of waiting.values()) {
    if (found.size >= considered) break;
    found.set(pr, found.size);
  }
  return found;
});

/** Returns the entries that have started, and those in the line that have not, in ascending order of pull request numbers. */
export function withTheLine({ all, started }: Noted, { line }: QueueState): readonly EntryEvidence[] {
  const others: EntryEvidence[] = [];
  for (const { entry } of line.standings) {
    const track = all.get(entry.pr);
    if (track && !track.started) others.push(track);
  }
  return others.length === 0 ? started : [...started, ...others].sort((a, b) => a.pr - b.pr);
}
