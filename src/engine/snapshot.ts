import type { AdaptiveState, Track } from "./adaptive/adaptive-state.ts";
import type { Bisection } from "./bisection-state.ts";
import type { Entry } from "./entry.ts";
import { withEntry } from "./entry-index.ts";
import { noQueue, type QueueState } from "./queue.ts";
import { unsaidSettings } from "./settings.ts";
import type { TestRun } from "./test-run.ts";

type Plain = Omit<
  QueueState,
  | "entries"
  | "unready"
  | "waiting"
  | "ageing"
  | "delayed"
  | "direct"
  | "held"
  | "runs"
  | "bisections"
  | "adaptive"
>;

interface Snapshot extends Plain {
  readonly entries: readonly Entry[];
  readonly runs: readonly TestRun[];
  readonly bisections: readonly Bisection[];
  /** Absent in snapshots that are older than the policy. */
  readonly adaptive?: Omit<AdaptiveState, "tracks"> & { readonly tracks: readonly Track[] };
}

/** The state as JSON text. Equal states give equal texts: indexes are derived, and left out. */
export function serializeState(state: QueueState): string {
  const {
    unready: _u,
    waiting: _w,
    ageing: _a,
    delayed: _d,
    direct: _di,
    held: _h,
    entries,
    runs,
    bisections,
    adaptive,
    ...plain
  } = state;
  const snapshot: Snapshot = {
    ...plain,
    entries: [...entries.values()],
    runs: byId(runs),
    bisections: byId(bisections),
    adaptive: { ...adaptive, tracks: [...adaptive.tracks.values()] },
  };
  return JSON.stringify(snapshot);
}

/** The state that `serializeState` wrote. Throws on anything else. */
export function deserializeState(text: string): QueueState {
  const { entries, runs, bisections, adaptive, ...plain }: Snapshot = JSON.parse(text);
  const bare: QueueState = {
    ...noQueue,
    ...plain,
    settings: { ...unsaidSettings, ...plain.settings },
    runs: new Map(runs.map((run) => [run.id, run])),
    bisections: new Map(bisections.map((bisection) => [bisection.id, bisection])),
    adaptive: adaptive ? { ...adaptive, tracks: tracksOf(adaptive.tracks) } : noQueue.adaptive,
  };
  const line = bare.line;
  return { ...entries.reduce<QueueState>(withEntry, bare), line };
}

function tracksOf(tracks: readonly Track[]): AdaptiveState["tracks"] {
  return tracks.reduce((all, track) => all.with(track.pr, track), noQueue.adaptive.tracks);
}

function byId<T extends { readonly id: string }>(items: ReadonlyMap<string, T>): T[] {
  return [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
