import { inBatches } from "../../../engine/collections/in-batches.ts";
import { yieldToEventLoop } from "../../../service/workers/yield-to-event-loop.ts";
import { fingerprintOf } from "../../failure/fingerprint.ts";
import type { TestKey } from "../../report/collect-runs.ts";
import type { NewPass, NewPasses, PassedTest, PassedTests, SuiteName } from "../../report/passed-tests.ts";
import {
  type Attempt,
  isFlip,
  mayBeTwo,
  outcomeOf,
  type TestExecution,
} from "../../report/test-execution.ts";
import type {
  NamedTest,
  TestFailureRecord,
  TestNumbers,
  TestResult,
} from "../../store/uploads/upload-records.ts";
import { digest } from "./upload-tests.ts";

/** The results of an upload, one for each test. */
export interface CollectedResults {
  /** Generated again at each iteration. */
  readonly results: Iterable<TestResult>;
  readonly failures: readonly TestFailureRecord[];
  readonly counts: ResultCounts;
}

export interface ResultCounts {
  readonly tests: number;
  readonly failedAtFirst: number;
  /** By the final outcome. */
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Collecting {
  /** Known tests that only passed. */
  readonly passed: PassedTests;
  /** Tests that only passed and whose number was not known. */
  readonly newPasses: NewPasses;
  /** All other tests. */
  readonly runs: Iterable<TestExecution>;
  readonly idOf: (run: TestExecution) => string;
  readonly numberOf: (id: string) => number | undefined;
  readonly variantOf: (run: Pick<TestExecution, "variant">) => string;
  readonly ownersOf: (run: Pick<TestExecution, "file" | "classname">) => readonly string[] | null;
  readonly isQuarantined: (id: string) => boolean;
  /**
   * Whether several cases of a test are retries. If not, a failure of one case fails the test, and flips are
   * not counted.
   */
  readonly isRetried: (run: TestExecution) => boolean;
  /** Adds tests that seem unknown, and returns the numbers of all of them; returns no numbers if nothing is stored. */
  readonly know: (tests: Iterable<NamedTest>) => Promise<TestNumbers>;
}

/** The number of tests to process before other work runs. */
const atATime = 1_000;

/**
 * Returns one result for each test of an upload. A test in several reports counts as attempted in each, and
 * failed if it failed in any.
 */
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
  const unknown: TestExecution[] = [];
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
      if (at > 0 && at % atATime === 0) await yieldToEventLoop();
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
    // Most tests have one attempt and need no entry.
    if (known || run.attempts.length > 1) attempts.set(id, before + run.attempts.length);
    seen += 1;
    if (seen % atATime === 0) await yieldToEventLoop();
  }
  const isAnyNew = newPasses.size > 0 || unknown.length > 0;
  const numbers = isAnyNew ? await know({ [Symbol.iterator]: namedTests }) : new Map<string, number>();
  for (const some of inBatches(unknown, atATime)) {
    keepNumbers(some.map(idOf), numbers, { passed, others });
    await yieldToEventLoop();
  }
  await keepPasses(newPasses, numbers, { passed, others });
  const results = { [Symbol.iterator]: () => resultsOf({ passed, newPasses, others }) };
  return { results, failures, counts: await countsOf(passed.size + newPasses.size, others.values()) };

  /** Generated during iteration, because all of them at once would need as much memory as the report. */
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
    // An earlier report may have contained the test while its number was still cached.
    const before = takePassed(passed, number);
    others.set(id, { ...(before ? merged(before, result, false) : result), sk: number });
  }
}

/** Moves passed new tests to the known ones, which are in the order in which results are packed. */
async function keepPasses(
  newPasses: NewPasses,
  numbers: TestNumbers,
  { passed, others }: Omit<Collected, "newPasses">,
): Promise<void> {
  for (const some of inBatches(newPasses, atATime)) {
    for (const { key, durationMs } of some) {
      const number = numbers.get(key.id);
      // Without numbers, nothing is stored.
      if (number === undefined) return;
      const pass = { id: key.id, number, durationMs };
      // Another report may have contained the test while its number was known, or under names that give the
      // same id.
      const before = takePassed(passed, number) ?? others.get(key.id);
      if (before) others.set(key.id, { ...merged(before, passedResult(pass), false), sk: number });
      else passed.add(pass);
    }
    if (some.length === atATime) await yieldToEventLoop();
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
    if (some.length === atATime) await yieldToEventLoop();
  }
  return counts;
}

function resultOf(id: string, run: TestExecution, isRetried: boolean): TestResult {
  const isOne = isRetried || !mayBeTwo(run);
  const first = isOne ? (run.attempts[0]?.outcome ?? "skipped") : "failed";
  const durationMs = run.attempts.reduce((sum, { durationMs: one }: Attempt) => sum + (one ?? 0), 0);
  return { id, first, last: isOne ? outcomeOf(run) : "failed", flipped: isOne && isFlip(run), durationMs };
}

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
