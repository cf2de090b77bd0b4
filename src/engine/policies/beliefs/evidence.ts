import { memoizeByState } from "../../collections/caches.ts";
import type { SortedMap } from "../../collections/sorted-map.ts";
import type { QueueState } from "../../model/queue.ts";
import { passesBefore, type TestRun } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";
import { type BeliefState, considered, type EntryEvidence, type FailedRunEvidence } from "./belief-state.ts";

type Tracks = SortedMap<number, EntryEvidence>;

/** The maximum number of failures kept for each entry. */
const maxReds = 10;
/** If a failure accuses more entries than this, it counts against the members of the run only. */
const maxAccused = 12;

/** Records a failure against every entry of the tree that is not proved. Returns null if all are proved, so that the run flaked. */
export function incriminate(tracks: Tracks, run: TestRun, failure: Reason): Tracks | null {
  const tree = [...run.ahead, ...run.members];
  const accused = tree
    .flatMap((pr) => tracks.get(pr) ?? [])
    .filter((evidence) => !isProvedIn(evidence, run) && !evidence.stale.includes(run.id));
  if (accused.length === 0) return null;
  const blamed = accused.length > maxAccused ? accused.filter(({ pr }) => run.members.includes(pr)) : accused;
  const { whileBaseFailed } = run;
  const circumstances = {
    passesBefore: passesBefore(run),
    ...(whileBaseFailed ? { whileBaseFailed } : {}),
  };
  let next = tracks;
  for (const evidence of blamed) {
    const others = tree.filter((pr) => pr !== evidence.pr);
    const red = { runId: run.id, others, failure, ...circumstances };
    next = next.with(evidence.pr, { ...evidence, reds: remembered([...evidence.reds, red]) });
  }
  return next;
}

/** Whether an entry is proved in a run. A member is proved only if a certificate contains all neighbours ahead of it in the tree. */
function isProvedIn({ pr, neighbours, certificates }: EntryEvidence, { ahead, members }: TestRun): boolean {
  if (!members.includes(pr)) return certificates.length > 0;
  const tree = [...ahead, ...members];
  const below = tree.slice(0, tree.indexOf(pr)).filter((other) => neighbours.includes(other));
  return certificates.some(({ others }) => below.every((other) => others.includes(other)));
}

/** Drops a failure if there are too many: the oldest one shared with other entries, which is weaker evidence than a failure alone. */
function remembered(reds: readonly FailedRunEvidence[]): readonly FailedRunEvidence[] {
  if (reds.length <= maxReds) return reds;
  const shared = reds.findIndex(({ others }) => others.length > 0);
  return reds.filter((_, index) => index !== Math.max(0, shared));
}

/** Whether an entry has failed alone, or together with only proved or merged pull requests. */
export function failedAlone(evidence: EntryEvidence, tracks: Tracks): boolean {
  return evidence.reds.some(({ others }) =>
    others.every((pr) => (tracks.get(pr)?.certificates.length ?? 1) > 0),
  );
}

/** Returns the last failure alone, or together with only pull requests that have merged since; null if there is none. */
export function lastFailureAlone({ reds }: EntryEvidence, tracks: Tracks): FailedRunEvidence | null {
  return reds.findLast(({ others }) => !others.some((pr) => tracks.has(pr))) ?? null;
}

export function checksOf(failure: Reason): readonly string[] {
  return failure.code === "CHECKS_FAILED" ? failure.checks.map(({ name }) => name) : [];
}

/** Indexes of the tracks for frequent queries. */
export interface EvidenceIndex {
  readonly all: ReadonlyMap<number, EntryEvidence>;
  /** The entries that have been a member of a run, or have been proved. */
  readonly started: readonly EntryEvidence[];
  readonly accused: readonly EntryEvidence[];
  readonly isolated: readonly EntryEvidence[];
}

/** Cached, because most events do not change the tracks. */
export const evidenceIndexOf = memoizeByState((tracks: BeliefState["tracks"]): EvidenceIndex => {
  const all = new Map<number, EntryEvidence>();
  const started: EntryEvidence[] = [];
  const accused: EntryEvidence[] = [];
  const isolated: EntryEvidence[] = [];
  tracks.forEach((evidence) => {
    all.set(evidence.pr, evidence);
    if (evidence.started) started.push(evidence);
    if (evidence.reds.length > 0 || evidence.suspect) accused.push(evidence);
    if (evidence.isolated) isolated.push(evidence);
  });
  return { all, started, accused, isolated };
});

/** Returns the position of each waiting entry, up to the maximum number that is considered. */
export const placesIn = memoizeByState((waiting: QueueState["waiting"]): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  for (const pr of waiting.values()) {
    if (found.size >= considered) break;
    found.set(pr, found.size);
  }
  return found;
});

/** Returns the entries that have started, and those in the line that have not, in ascending order of pull request numbers. */
export function withTheLine({ all, started }: EvidenceIndex, { line }: QueueState): readonly EntryEvidence[] {
  const others: EntryEvidence[] = [];
  for (const { entry } of line.entries) {
    const evidence = all.get(entry.pr);
    if (evidence && !evidence.started) others.push(evidence);
  }
  return others.length === 0 ? started : [...started, ...others].sort((a, b) => a.pr - b.pr);
}
