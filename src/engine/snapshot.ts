import type { Bisection } from "./bisection-state.ts";
import type { Entry } from "./entry.ts";
import { withEntry } from "./entry-index.ts";
import { noQueue, type QueueState } from "./queue.ts";
import { defaultSettings } from "./settings.ts";
import type { TestRun } from "./test-run.ts";

type Plain = Omit<
  QueueState,
  "entries" | "unready" | "waiting" | "ageing" | "delayed" | "direct" | "held" | "runs" | "bisections"
>;

interface Snapshot extends Plain {
  readonly entries: readonly Entry[];
  readonly runs: readonly TestRun[];
  readonly bisections: readonly Bisection[];
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
    ...plain
  } = state;
  const snapshot: Snapshot = {
    ...plain,
    entries: [...entries.values()],
    runs: byId(runs),
    bisections: byId(bisections),
  };
  return JSON.stringify(snapshot);
}

/** The state that `serializeState` wrote. Throws on anything else. */
export function deserializeState(text: string): QueueState {
  const { entries, runs, bisections, ...plain }: Snapshot = JSON.parse(text);
  const bare: QueueState = {
    ...noQueue,
    ...plain,
    settings: { ...defaultSettings, ...plain.settings },
    runs: new Map(runs.map((run) => [run.id, run])),
    bisections: new Map(bisections.map((bisection) => [bisection.id, bisection])),
  };
  const line = bare.line;
  return { ...entries.reduce<QueueState>(withEntry, bare), line };
}

function byId<T extends { readonly id: string }>(items: ReadonlyMap<string, T>): T[] {
  return [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
