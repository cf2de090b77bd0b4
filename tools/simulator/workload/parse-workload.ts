import {
  type Cancellation,
  type ConflictPair,
  inOrder,
  type Outage,
  type SimulatedPullRequest,
  type Workload,
  type WorkloadSettings,
} from "../../../src/replay/workload/workload.ts";

type ParsedWorkload =
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

/** Reads the fields of one JSON object, and collects all problems. */
class LineFields {
  readonly problems: string[] = [];
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** The names of fields that were not read. */
  get unread(): string[] {
    return Object.keys(this.#fields).filter((name) => !this.#read.has(name));
  }

  has(name: string): boolean {
    this.#read.add(name);
    return this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  flag(name: string): boolean {
    return this.#expect(name, "true or false", false, (value) => typeof value === "boolean");
  }

  /** A number in `[low, high]`, including the bounds. */
  number(name: string, low = 0, high = Number.MAX_VALUE): number {
    const range = high === Number.MAX_VALUE ? `of ${low} or more` : `from ${low} to ${high}`;
    return this.#expect(
      name,
      `a number ${range}`,
      low,
      (value) => typeof value === "number" && value >= low && value <= high,
    );
  }

  /** A number above 0. */
  positive(name: string): number {
    return this.#expect(name, "a number above 0", 1, (value) => typeof value === "number" && value > 0);
  }

  /** A whole number of at least `low`. */
  whole(name: string, low: number): number {
    return this.#expect(
      name,
      `a whole number of ${low} or more`,
      low,
      (value) => Number.isSafeInteger(value) && Number(value) >= low,
    );
  }

  oneOf<T extends string>(name: string, values: readonly [T, ...T[]]): T {
    const wanted = values.map((value) => `"${value}"`).join(" or ");
    return this.#expect(name, wanted, values[0], (value) => values.some((known) => known === value));
  }

  targets(name: string): "ALL" | readonly string[] {
    const isTargets = (value: unknown) =>
      value === "ALL" || (Array.isArray(value) && value.every((target) => typeof target === "string"));
    return this.#expect(name, `"ALL" or a list of texts`, "ALL", isTargets);
  }

  #expect<T>(name: string, wanted: string, otherwise: T, accepts: (value: unknown) => boolean): T {
    this.#read.add(name);
    const value = this.#fields[name];
    if (accepts(value)) return value as T;
    const found = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
    this.problems.push(`"${name}" ${found}, but must be ${wanted}`);
    return otherwise;
  }
}

/** Renders the workload as JSON Lines. `parseWorkload` restores exactly the same workload. */
export function renderWorkload(workload: Workload): string {
  const { durationNoise, ...settings } = workload.settings;
  const lines: object[] = [
    { type: "settings", ...settings, ...(durationNoise === 0 ? {} : { durationNoise }) },
    ...workload.pullRequests.map(pullRequestLine),
    ...workload.conflicts.map(({ a, b }) => ({ type: "conflict", a, b })),
    ...workload.cancellations.map(({ n, at }) => ({ type: "cancel", n, at })),
    ...(workload.outages ?? []).map(({ from, to }) => ({ type: "outage", from, to })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function pullRequestLine({ risk, ...rest }: SimulatedPullRequest): object {
  return { type: "pr", ...rest, ...(risk === null ? {} : { risk }) };
}
