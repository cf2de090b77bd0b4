import { withEntry } from "./fold/entry-index.ts";
import { withRun } from "./fold/run-index.ts";
import type { Entry } from "./model/entry.ts";
import type { EventData } from "./model/event.ts";
import { Line } from "./model/order/line.ts";
import { noQueue, type QueueState, runOf } from "./model/queue.ts";
import { defaultSettings } from "./model/settings.ts";
import { parseTargets, type Targets } from "./model/targets.ts";
import type { TestRun } from "./model/test-run.ts";
import type { Try } from "./model/tries/try.ts";
import { restoredMemory, type StoredMemory, storedMemory } from "./policies/fold-of.ts";

type Plain = Omit<
  QueueState,
  | "entries"
  | "unready"
  | "waiting"
  | "ageing"
  | "delayed"
  | "direct"
  | "held"
  | "interrupted"
  | "line"
  | "runs"
  | "runIndex"
  | "tries"
  | "policyMemory"
>;

/** A state without derived data, and without the targets of entries, which are in the log. */
export interface Snapshot extends Plain {
  readonly line: readonly number[];
  readonly runs: readonly TestRun[];
  readonly tries: readonly Try[];
  readonly policyMemory: StoredMemory;
  readonly entries: readonly Omit<Entry, "targets">[];
}

const entriesPerPart = 100;

/** Returns the state as JSON text. Equal states give equal texts. */
export function serializeState(state: QueueState): string {
  return [...serializedParts(state)].join("");
}

/** Yields the text of `serializeState` in parts. Each takes a fraction of a millisecond. Pauses are safe, as a state never changes. */
export function* serializedParts(state: QueueState): Generator<string> {
  const {
    unready,
    waiting,
    ageing,
    delayed,
    direct,
    held,
    interrupted,
    runIndex,
    entries,
    line,
    runs,
    tries,
    policyMemory,
    ...plain
  } = state;
  const rest = {
    ...plain,
    line: [...line],
    runs: [...runs.values()],
    tries: [...tries.values()],
    policyMemory: storedMemory(policyMemory),
  };
  yield `${JSON.stringify(rest).slice(0, -1)},"entries":[`;
  let part: string[] = [];
  let separator = "";
  for (const entry of entries.values()) {
    part.push(JSON.stringify({ ...entry, targets: undefined }));
    if (part.length < entriesPerPart) continue;
    yield separator + part.join(",");
    separator = ",";
    part = [];
  }
  yield `${part.length > 0 ? separator : ""}${part.join(",")}]}`;
}

/** Parses a text of `serializeState`. @throws if it is not JSON */
export function parseSnapshot(text: string): Snapshot {
  return JSON.parse(text);
}

/** Returns the sequence numbers of the events with the targets of the snapshot's entries. */
export function targetSeqs({ entries }: Snapshot): number[] {
  return entries.flatMap(({ targetsSeq }) => targetsSeq ?? []);
}

/** Returns the state of a text of `serializeState`. @throws if it is another text, or targets are missing */
export function deserializeState(
  text: string,
  targets: ReadonlyMap<number, Targets> = new Map(),
): QueueState {
  return restoreState(parseSnapshot(text), targets);
}

/** Returns the state that a snapshot was made of. @throws if the targets of an event are missing */
export function restoreState(snapshot: Snapshot, targets: ReadonlyMap<number, Targets>): QueueState {
  const { entries, line, runs, tries, policyMemory, ...plain } = snapshot;
  const bare: QueueState = {
    ...noQueue,
    ...plain,
    settings: { ...defaultSettings, ...plain.settings },
    history: { ...noQueue.history, ...plain.history },
    tries: tries.reduce((known, one) => known.with(one.pr, one), noQueue.tries),
    policyMemory: restoredMemory(policyMemory),
  };
  const withRuns = runs.reduce(withRun, bare);
  const whole = entries.reduce(
    (state, entry) => withEntry(state, { ...entry, targets: targetsOf(entry, targets) }),
    withRuns,
  );
  return { ...whole, line: lineOf(whole, line) };
}

function targetsOf(
  { pr, targetsSeq }: Omit<Entry, "targets">,
  targets: ReadonlyMap<number, Targets>,
): Targets | null {
  if (targetsSeq === null) return null;
  const found = targets.get(targetsSeq);
  if (found === undefined) throw new Error(`event ${targetsSeq} does not say what #${pr} impacts`);
  return found;
}

function lineOf(state: QueueState, prs: readonly number[]): Line {
  const entries = prs.map((pr) => {
    const entry = state.entries.get(pr);
    if (!entry) throw new Error(`#${pr} stands in the line, but is not in queue ${state.id}`);
    return { entry, run: runOf(state, entry) };
  });
  return Line.empty.appended(entries);
}

/** An event's data as parsed from JSON. */
export type StoredEventData = EventData extends infer Data
  ? Data extends { readonly targets: infer T }
    ? Omit<Data, "targets"> & { readonly targets: Extract<T, null> | string | readonly number[] }
    : Data
  : never;

/** Restores event data from the parsed output of `JSON.stringify`. */
export function parseEventData(json: StoredEventData): EventData {
  if (json.type === "entry_targeted") return { ...json, targets: parseTargets(json.targets) };
  if (json.type !== "entry_admitted") return json;
  return { ...json, targets: json.targets === null ? null : parseTargets(json.targets) };
}
