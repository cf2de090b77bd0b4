import {
  type DetectionContext,
  type LineHistory,
  newLineHistory,
  type Observation,
  observeOnLine,
} from "./line-history.ts";
import type { StatusChange, TestStatus } from "./status.ts";

/** The state of detection for one test and variant. A test that never failed has none. */
export interface TestHistory {
  /** The status changes of all lines together. The last one is the newest, and gives the test's current status. */
  readonly changes: readonly [StatusChange, ...StatusChange[]];
  /** By the stable branch. "" = the branch is unknown; this history also applies to lines without one of their own. */
  readonly lines: Readonly<Record<string, LineHistory>>;
}

/** The maximum number of status changes to keep. */
const keptChanges = 50;

export function newHistory(at: number): TestHistory {
  return { changes: [newLineHistory(at).status], lines: {} };
}

export function statusOf({ changes }: TestHistory): StatusChange {
  return changes.at(-1) ?? changes[0];
}

/** Adds an observation on a line. Returns the same object if nothing changes. */
export function observe(
  history: TestHistory,
  line: string,
  observation: Observation,
  context: DetectionContext,
): TestHistory {
  const before = history.lines[line] ?? history.lines[""] ?? newLineHistory(observation.at);
  const after = observeOnLine(before, observation, context);
  if (after === before) return history;
  const lines = bounded({ ...history.lines, [line]: after }, line);
  return withStatus({ ...history, lines }, mostSevere(lines));
}

/** The maximum number of lines to keep, because new release branches are added all the time. */
const keptLines = 20;

/** Forgets the line that changed its status longest ago. */
function bounded(lines: TestHistory["lines"], keep: string): TestHistory["lines"] {
  const names = Object.keys(lines);
  if (names.length <= keptLines) return lines;
  const since = (name: string) => lines[name]?.status.at ?? 0;
  const [oldest] = names.filter((name) => name !== keep).sort((a, b) => since(a) - since(b));
  return Object.fromEntries(Object.entries(lines).filter(([name]) => name !== oldest));
}

/** Whether the test needs watching: it is flaky, or was flaky and may be again. */
export function isTracked({ lines }: TestHistory): boolean {
  return Object.values(lines).some(({ recovery }) => recovery !== null);
}

/** When its runs last proved that it is flaky on any line; null = never. */
export function provenAt({ lines }: TestHistory): number | null {
  const times = Object.values(lines).flatMap((line) => line.provenAt ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/**
 * How many independent times the test's runs have shown that it is flaky: sources of flips, and separate failures on stable
 * branches.
 */
export function proofsOf({ lines }: TestHistory): number {
  const sources = new Set<string>();
  let streaks = 0;
  for (const { episodes, cusum, slowCusum } of Object.values(lines)) {
    for (const episode of episodes)
      for (const { kind, name } of episode.sources) sources.add(`${kind} ${name}`);
    streaks += Math.max(cusum.streaks, slowCusum.streaks);
  }
  return sources.size + streaks;
}

/**
 * Joins the histories of a test under its earlier and its new name. On a line that both have, the one with the more severe status
 * is kept.
 */
export function joinHistories(before: TestHistory, after: TestHistory): TestHistory {
  const lines = { ...before.lines };
  for (const [name, line] of Object.entries(after.lines)) {
    const known = lines[name];
    if (!known || severity[line.status.status] > severity[known.status.status]) lines[name] = line;
  }
  if (Object.keys(lines).length === 0) return before;
  return withStatus({ ...before, lines: bounded(lines, "") }, mostSevere(lines));
}

/** A test that is flaky on one line and broken on another counts as flaky. Its failures are forgiven only where it is flaky. */
const severity: Readonly<Record<TestStatus, number>> = { FLAKY: 2, BROKEN: 1, HEALTHY: 0 };

function mostSevere(lines: TestHistory["lines"]): StatusChange {
  const all = Object.values(lines).map(({ status }) => status);
  return all.reduce((worst, one) => {
    const more = severity[one.status] - severity[worst.status];
    return more > 0 || (more === 0 && one.at > worst.at) ? one : worst;
  });
}

function withStatus(history: TestHistory, status: StatusChange): TestHistory {
  const before = statusOf(history);
  const isSame = before.status === status.status && before.reason.code === status.reason.code;
  if (isSame || before === status) return history;
  const [first, ...rest] = [...history.changes, status].slice(-keptChanges);
  return first ? { ...history, changes: [first, ...rest] } : history;
}
