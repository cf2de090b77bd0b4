import { type FailureRoom, ReportRefused } from "./fault.ts";
import { type Attempt, detached, type TestFailure } from "./test-execution.ts";

type Attributes = Readonly<Record<string, string>>;

/** The number of elements of each kind in a test case. */
export interface CaseTally {
  /** `<failure>` and `<error>`. */
  readonly failures: number;
  /** `<error>` alone. */
  readonly errors: number;
  /** `<rerunFailure>` and `<rerunError>`. */
  readonly reruns: number;
  /** `<flakyFailure>` and `<flakyError>`. */
  readonly flakes: number;
  readonly isSkipped: boolean;
}

/** The tally of a test that passed. */
export const emptyTally: CaseTally = { failures: 0, errors: 0, reruns: 0, flakes: 0, isSkipped: false };

/** Reads the content of a test case. */
export interface CaseReader {
  /** Null = the element is unknown. */
  readonly open: (name: string, attributes: Attributes, depth: number) => "known" | null;
  readonly text: (text: string) => void;
  readonly close: (depth: number) => void;
  readonly tally: () => CaseTally;
  /** The attempts that the case records. Refuses a case that contradicts itself. */
  readonly attempts: () => readonly Attempt[];
}

interface OpenFailure {
  readonly kind: TestFailure["kind"];
  readonly type: string | null;
  readonly message: string | null;
  readonly durationMs: number | null;
  readonly startedAt: string | null;
  /** Set for `flaky…` and `rerun…` of Surefire: attempts in addition to the case's own. */
  readonly other: "flake" | "rerun" | null;
  /** The maximum number of characters of its text to keep. */
  readonly most: number;
  text: string;
}

const failing: ReadonlySet<string> = new Set(["failure", "error"]);
const others: Readonly<Record<string, Pick<OpenFailure, "kind" | "other">>> = {
  flakyFailure: { kind: "failure", other: "flake" },
  rerunFailure: { kind: "failure", other: "rerun" },
  flakyError: { kind: "error", other: "flake" },
  rerunError: { kind: "error", other: "rerun" },
};

/** Elements that say nothing about the outcome. */
const inert: ReadonlySet<string> = new Set([
  "properties",
  "property",
  "system-out",
  "system-err",
  "attachments",
  "attachment",
  "stackTrace",
]);

export function isInert(name: string): boolean {
  return inert.has(name);
}

export function createCaseReader(attributes: Attributes, room: FailureRoom): CaseReader {
  const ended: OpenFailure[] = [];
  let isSkipped = false;
  /** Catch2: the test is known to fail, and its failures count for nothing. */
  let mayFail = false;
  let current: OpenFailure | null = null;
  let openedAt = 0;
  /** The depth of an output element within a failure. Its text is not part of the failure. */
  let printedAt: number | null = null;

  function open(name: string, inner: Attributes, depth: number): "known" | null {
    if (current) {
      if (name.startsWith("system-")) printedAt ??= depth;
      return isInert(name) ? "known" : null;
    }
    if (name === "skipped") {
      isSkipped = true;
      checkNotRun(attributes, inner.message);
    }
    if (name === "skipped" && inner.message?.startsWith("TEST_CASE tagged with !")) mayFail = true;
    const kind = failing.has(name) ? { kind: name as TestFailure["kind"], other: null } : others[name];
    if (!kind) return name === "skipped" || isInert(name) ? "known" : null;
    openedAt = depth;
    const most = room.next();
    current = {
      ...kind,
      type: inner.type ?? null,
      message: inner.message?.slice(0, most) ?? null,
      durationMs: readDuration(inner.time),
      startedAt: inner.timestamp ?? null,
      most,
      text: "",
    };
    return "known";
  }

  function text(value: string): void {
    if (!current || printedAt !== null) return;
    const left = current.most - current.text.length;
    if (left > 0) current.text += value.slice(0, left);
  }

  function close(depth: number): void {
    if (printedAt === depth) printedAt = null;
    if (!current || depth !== openedAt) return;
    room.keep((current.message?.length ?? 0) + current.text.length);
    ended.push(current);
    current = null;
  }

  function attempts(): readonly Attempt[] {
    const own = ended.filter(({ other }) => other === null && !mayFail);
    const other = ended.filter(({ other }) => other !== null).map(failedAttempt);
    const itself = ownAttempt(attributes, own.length > 0);
    if (own.some(isLateness)) return [...other, itself, ...own.map(failedAttempt)];
    if (own.length > 0) return [...ownAttempts(own, itself), ...other];
    return [...other, isSkipped ? { ...itself, outcome: "skipped" } : itself];
  }

  function tally(): CaseTally {
    const counts = { failures: 0, errors: 0, reruns: 0, flakes: 0 };
    for (const { kind, other } of mayFail ? [] : ended)
      if (other === null) {
        counts.failures += 1;
        counts.errors += kind === "error" ? 1 : 0;
      } else if (other === "rerun") counts.reruns += 1;
      else counts.flakes += 1;
    return { ...counts, isSkipped };
  }

  return { open, text, close, attempts, tally };
}

/** cargo-nextest with `flaky-result = "fail"`: the last attempt passed, but the test counts as failed. */
function isLateness({ type }: OpenFailure): boolean {
  return type === "flaky failure";
}

/** The case's own attempt, if it holds no failure. Refuses a case whose attributes say that it failed. */
export function ownAttempt(attributes: Attributes, hasFailed = false): Attempt {
  if (!hasFailed) checkWords(attributes);
  const durationMs = readDuration(attributes.time ?? attributes.duration);
  return {
    // A disabled test, of GoogleTest or of CTest.
    outcome: ["notrun", "disabled"].includes(attributes.status ?? "") ? "skipped" : "passed",
    durationMs,
    startedAt: detached(attributes.timestamp ?? null),
    failure: null,
  };
}

/** Vitest writes a `<failure>` for each attempt. An `<error>` after a failure belongs to the same attempt, whose cleanup failed. */
function ownAttempts(own: readonly OpenFailure[], { durationMs, startedAt }: Attempt): Attempt[] {
  const first = own.findIndex(({ kind }) => kind === "failure");
  const counted = first === -1 ? own.slice(0, 1) : own.filter(({ kind }) => kind === "failure");
  return counted.map((failure) => ({ ...failedAttempt(failure), durationMs, startedAt }));
}

function failedAttempt({ kind, type, message, text, durationMs, startedAt }: OpenFailure): Attempt {
  const failure = { kind, type: detached(type), message: detached(message), text: detached(text.trim()) };
  return { outcome: "failed", durationMs, startedAt: detached(startedAt), failure };
}

/** Some writers also state the outcome in an attribute. If it says "failed" and the case holds no failure, the failure was lost. */
function checkWords(attributes: Attributes): void {
  const said = attributes.status ?? attributes.result;
  const isFailure = said !== undefined && /^(?:fail|failed|failure|error|broken)$/i.test(said);
  if (attributes.failure === undefined && !isFailure) return;
  throw new ReportRefused(
    "CONTRADICTORY",
    `the test "${attributes.name}" is called failed, and holds no failure`,
  );
}

/** CTest writes tests that it could not run, such as for lack of the executable, as skipped, although it counts them as failed. */
function checkNotRun({ name, classname, status }: Attributes, why = ""): void {
  if (status !== "notrun" || classname !== name || why.startsWith("SKIP_")) return;
  throw new ReportRefused("CONTRADICTORY", `the test "${name}" could not run, and is called skipped`);
}

function readDuration(seconds: string | undefined): number | null {
  if (seconds === undefined || seconds === "") return null;
  // Surefire writes 1,234.5.
  const value = Number(seconds.includes(",") ? seconds.replaceAll(",", "") : seconds);
  return value >= 0 && value < 1e9 ? value * 1000 : null;
}
