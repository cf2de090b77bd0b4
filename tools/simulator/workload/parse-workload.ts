import {
  type Cancellation,
  type ConflictPair,
  inOrder,
  type Outage,
  type SimulatedPullRequest,
  type Workload,
  type WorkloadSettings,
} from "../../../src/replay/workload/workload.ts";
import { LineFields } from "./line-fields.ts";

export type ParsedWorkload =
  | {
      readonly ok: true;
      readonly workload: Workload;
      /** Fields that were ignored. */
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      /** All problems, each with its line. */
      readonly problems: readonly string[];
    };

interface Placed<T> {
  readonly line: number;
  readonly value: T;
}

/** The parts of a workload that were read so far. */
interface Draft {
  readonly settings: Placed<WorkloadSettings>[];
  readonly pullRequests: Placed<SimulatedPullRequest>[];
  readonly conflicts: Placed<ConflictPair>[];
  readonly cancellations: Placed<Cancellation>[];
  readonly outages: Placed<Outage>[];
}

const kinds = ["settings", "pr", "conflict", "cancel", "outage"] as const;

/** Parses a workload from JSON Lines: settings, pull requests, conflicts, cancellations and outages, in any order. */
export function parseWorkload(text: string): ParsedWorkload {
  const draft: Draft = { settings: [], pullRequests: [], conflicts: [], cancellations: [], outages: [] };
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [index, content] of text.split("\n").entries()) {
    if (content.trim() === "") continue;
    const line = index + 1;
    const fields = parseObject(content);
    if (typeof fields === "string") {
      problems.push(`line ${line}: ${fields}`);
      continue;
    }
    const reader = new LineFields(fields);
    readLine(draft, line, reader);
    problems.push(...reader.problems.map((problem) => `line ${line}: ${problem}`));
    if (reader.problems.length > 0) continue;
    warnings.push(...reader.unread.map((name) => `line ${line}: "${name}" means nothing here`));
  }
  if (problems.length === 0) problems.push(...contradictions(draft));
  const [settings] = draft.settings;
  if (problems.length > 0 || !settings) return { ok: false, problems };
  const workload: Workload = {
    settings: settings.value,
    pullRequests: inOrder(draft.pullRequests.map(({ value }) => value)),
    conflicts: draft.conflicts.map(({ value }) => value),
    cancellations: draft.cancellations.map(({ value }) => value),
    ...(draft.outages.length > 0 ? { outages: draft.outages.map(({ value }) => value) } : {}),
  };
  return { ok: true, workload, warnings };
}

function readLine(draft: Draft, line: number, fields: LineFields): void {
  const kind = fields.oneOf("type", kinds);
  if (fields.problems.length > 0) return;
  switch (kind) {
    case "settings":
      draft.settings.push({ line, value: readSettings(fields) });
      return;
    case "pr":
      draft.pullRequests.push({ line, value: readPullRequest(fields) });
      return;
    case "conflict":
      draft.conflicts.push({ line, value: { a: fields.whole("a", 1), b: fields.whole("b", 1) } });
      return;
    case "cancel":
      draft.cancellations.push({ line, value: { n: fields.whole("n", 1), at: fields.number("at") } });
      return;
    case "outage":
      draft.outages.push({ line, value: { from: fields.number("from"), to: fields.number("to") } });
      return;
  }
}

function readSettings(fields: LineFields): WorkloadSettings {
  return {
    workers: fields.whole("workers", 1),
    flakeRate: fields.number("flakeRate", 0, 1),
    scope: fields.oneOf("scope", ["tree", "members"]),
    hours: fields.positive("hours"),
    seed: fields.whole("seed", 0),
    resubmitMinutes: fields.number("resubmitMinutes"),
    durationNoise: fields.has("durationNoise") ? fields.number("durationNoise", 0, 2) : 0,
  };
}

function readPullRequest(fields: LineFields): SimulatedPullRequest {
  return {
    n: fields.whole("n", 1),
    at: fields.number("at"),
    targets: fields.targets("targets"),
    fails: fields.flag("fails"),
    minutes: fields.positive("minutes"),
    priority: fields.has("priority") ? fields.whole("priority", 0) : 100,
    risk: fields.has("risk") ? fields.number("risk", 0, 1) : null,
  };
}

function* contradictions({
  settings,
  pullRequests,
  conflicts,
  cancellations,
  outages,
}: Draft): Iterable<string> {
  if (settings.length === 0) yield `there is no line of type "settings"`;
  for (const { line } of settings.slice(1))
    yield `line ${line}: the settings are on line ${settings[0]?.line} already`;
  const lines = new Map<number, number>();
  for (const { line, value } of pullRequests) {
    const earlier = lines.get(value.n);
    if (earlier !== undefined) yield `line ${line}: pull request ${value.n} is on line ${earlier} already`;
    else lines.set(value.n, line);
  }
  const missing = (line: number, n: number) =>
    lines.has(n) ? [] : [`line ${line}: there is no pull request ${n}`];
  for (const { line, value } of conflicts) {
    if (value.a === value.b) yield `line ${line}: pull request ${value.a} cannot conflict with itself`;
    else for (const n of [value.a, value.b]) yield* missing(line, n);
  }
  for (const { line, value } of cancellations) yield* missing(line, value.n);
  for (const { line, value } of outages)
    if (value.to <= value.from) yield `line ${line}: the outage ends before it begins`;
}

function parseObject(content: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(content);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : "is not a JSON object";
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
