import { inBatches } from "../../engine/collections/in-batches.ts";
import { fingerprintOf } from "../../flaky/failure/fingerprint.ts";
import type { TestKey } from "../../flaky/report/collect-runs.ts";
import type { NewPass, NewPasses, SuiteName } from "../../flaky/report/new-passes.ts";
import type { PassedTest, PassedTests } from "../../flaky/report/passed-tests.ts";
import { type Attempt, isFlip, mayBeTwo, outcomeOf, type TestRun } from "../../flaky/report/test-run.ts";
import type { NamedTest, TestFailureRecord, TestNumbers, TestResult } from "../../ports/test-result-store.ts";
import { nextTurn } from "../next-turn.ts";
import { digest } from "./digest.ts";

/** What an upload says of its tests, one entry for each. */
export interface CollectedResults {
  /** Made anew each time it is gone through. */
  readonly results: Iterable<TestResult>;
  readonly failures: readonly TestFailureRecord[];
  readonly counts: ResultCounts;
}

export interface ResultCounts {
  readonly tests: number;
  readonly failedAtFirst: number;
  /** In the end. */
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Collecting {
  /** Known tests that passed and no more. */
  readonly passed: PassedTests;
  /** Tests that passed and no more, of which no number was known. */
  readonly newPasses: NewPasses;
  /** All others. */
  readonly runs: Iterable<TestRun>;
  readonly idOf: (run: TestRun) => string;
  readonly numberOf: (id: string) => number | undefined;
  readonly variantOf: (run: Pick<TestRun, "variant">) => string;
  readonly ownersOf: (run: Pick<TestRun, "file" | "classname">) => readonly string[] | null;
  readonly isQuarantined: (id: string) => boolean;
  /** Whether a test's cases of one name are retries; else a failure of one is the failure of all, and shows nothing more. */
  readonly isRetried: (run: TestRun) => boolean;
  /** Adds tests that do not seem to be known yet, and returns the numbers of all; none of any when nothing is stored. */
  readonly know: (tests: Iterable<NamedTest>) => Promise<TestNumbers>;
}

/** Tests that are gone through before others get their turn. */
const atATime = 1_000;

/** One result for each test of an upload. A test of several reports is one that was attempted in each; a failure in any is its failure. */
export async function collectResults({
  passed,
  newPasses,
  runs,
  idOf,
  numberOf,
  variantOf,
  ownersOf,
  isQuarantined,
  isRetried,
  know,
}: Collecting): Promise<CollectedResults> {
  const unknown: TestRun[] = [];
  const others = new Map<string, TestResult>();
  const failures: TestFailureRecord[] = [];
  const attempts = new Map<string, number>();
  let seen = 0;

  for (const run of runs) {
    const id = idOf(run);
    const result = resultOf(id, run, isRetried(run));
    const number = numberOf(id);
    const numbered = others.get(id) ?? takePassed(passed, number);
    const known = numbered ?? takeNew(newPasses, id);
    others.set(id, known ? merged(known, result, isRetried(run)) : result);
    if (!numbered && number === undefined) unknown.push(run);
    const isFinal = result.last === "failed";
    const before = attempts.get(id) ?? (known ? 1 : 0);
    for (const [at, attempt] of run.attempts.entries()) {
      if (at > 0 && at % atATime === 0) await nextTurn();
      if (attempt.failure)
        failures.push({
          id,
          attempt: before + at + 1,
          isFinal,
          isQuarantined: isFinal && isQuarantined(id),
          fingerprint: fingerprintOf(attempt.failure, digest),
          durationMs: attempt.durationMs,
        });
    }
    // Nearly all have one attempt, and need no place.
    if (known || run.attempts.length > 1) attempts.set(id, before + run.attempts.length);
    seen += 1;
    if (seen % atATime === 0) await nextTurn();
  }
  const isAnyNew = newPasses.size > 0 || unknown.length > 0;
  const numbers = isAnyNew ? await know({ [Symbol.iterator]: namedTests }) : new Map<string, number>();
  for (const some of inBatches(unknown, atATime)) {
    keepNumbers(some.map(idOf), numbers, { passed, others });
    await nextTurn();
  }
  await keepPasses(newPasses, numbers, { passed, others });
  const results = { [Symbol.iterator]: () => resultsOf({ passed, newPasses, others }) };
  return { results, failures, counts: await countsOf(passed.size + newPasses.size, others.values()) };

  /** Made while they are gone through: all of them at once would take as much memory as the report. */
  function* namedTests(): Generator<NamedTest> {
    for (const { key, suite } of newPasses) yield namedTest(key, suite);
    for (const run of unknown) yield namedTest({ id: idOf(run), name: run.name }, run);
  }

  function namedTest({ id, name }: TestKey, suite: SuiteName): NamedTest {
    const { parent, file, classname } = suite;
    return { id, name, parent, file, classname, variant: variantOf(suite), owners: ownersOf(suite) };
  }
}

interface Collected {
  readonly passed: PassedTests;
  readonly newPasses: NewPasses;
  readonly others: Map<string, TestResult>;
}

function keepNumbers(
  ids: readonly string[],
  numbers: TestNumbers,
  { passed, others }: Omit<Collected, "newPasses">,
): void {
  for (const id of ids) {
    const number = numbers.get(id);
    const result = others.get(id);
    if (number === undefined || !result) continue;
    // An earlier report may have had it, while its number was still remembered.
    const before = takePassed(passed, number);
    others.set(id, { ...(before ? merged(before, result, false) : result), sk: number });
  }
}

/** Keeps new tests that passed as known ones, in whose order their results are packed. */
async function keepPasses(
  newPasses: NewPasses,
  numbers: TestNumbers,
  { passed, others }: Omit<Collected, "newPasses">,
): Promise<void> {
  for (const some of inBatches(newPasses, atATime)) {
    for (const { key, durationMs } of some) {
      const number = numbers.get(key.id);
      // Nothing is stored.
      if (number === undefined) return;
      const pass = { id: key.id, number, durationMs };
      // Another report may have had it, when its number was known already, or under names that make the same id.
      const before = takePassed(passed, number) ?? others.get(key.id);
      if (before) others.set(key.id, { ...merged(before, passedResult(pass), false), sk: number });
      else passed.add(pass);
    }
    if (some.length === atATime) await nextTurn();
  }
  newPasses.clear();
}

function takePassed(passed: PassedTests, number: number | undefined): TestResult | null {
  const test = number === undefined ? null : passed.take(number);
  return test && passedResult(test);
}

function takeNew(newPasses: NewPasses, id: string): TestResult | null {
  const pass = newPasses.take(id);
  return pass && newResult(pass);
}

function* resultsOf({ passed, newPasses, others }: Collected): Generator<TestResult> {
  for (const test of passed) yield passedResult(test);
  for (const pass of newPasses) yield newResult(pass);
  yield* others.values();
}

function passedResult({ id, number, durationMs }: PassedTest): TestResult {
  return { id, sk: number, first: "passed", last: "passed", flipped: false, durationMs: durationMs ?? 0 };
}

function newResult({ key, durationMs }: NewPass): TestResult {
  return { id: key.id, first: "passed", last: "passed", flipped: false, durationMs: durationMs ?? 0 };
}

async function countsOf(passed: number, others: Iterable<TestResult>): Promise<ResultCounts> {
  const counts = { tests: passed, failedAtFirst: 0, passed, failed: 0, skipped: 0 };
  for (const some of inBatches(others, atATime)) {
    for (const { first, last } of some) {
      counts.tests += 1;
      counts[last] += 1;
      if (first === "failed") counts.failedAtFirst += 1;
    }
    if (some.length === atATime) await nextTurn();
  }
  return counts;
}

function resultOf(id: string, run: TestRun, isRetried: boolean): TestResult {
  const isOne = isRetried || !mayBeTwo(run);
  const first = isOne ? (run.attempts[0]?.outcome ?? "skipped") : "failed";
  const durationMs = run.attempts.reduce((sum, { durationMs: one }: Attempt) => sum + (one ?? 0), 0);
  return { id, first, last: isOne ? outcomeOf(run) : "failed", flipped: isOne && isFlip(run), durationMs };
}

/** Of a test that two reports have. */
function merged(one: TestResult, other: TestResult, isRetried: boolean): TestResult {
  const outcomes = [one.last, other.last];
  const last = outcomes.find((outcome) => outcome === "failed") ?? outcomes.find((all) => all === "passed");
  const differ = one.last !== other.last && !outcomes.includes("skipped");
  return {
    ...one,
    first: one.first === "skipped" ? other.first : one.first,
    last: last ?? "skipped",
    flipped: one.flipped || other.flipped || (differ && isRetried),
    durationMs: one.durationMs + other.durationMs,
  };
}
