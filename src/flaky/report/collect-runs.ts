import type { TestName } from "../identity.ts";
import { type NewPass, type NewPasses, PassedTests, type SuiteName } from "./passed-tests.ts";

import { type Attempt, detached, type TestExecution } from "./test-execution.ts";

/** The name of a test case in its report. */
export type CaseName = TestName & Pick<TestExecution, "givenId" | "variant">;

/** One test case of a report, completely read. */
export interface TestCase extends CaseName {
  readonly attempts: readonly Attempt[];
}

export interface TestKey {
  /** Equal for all cases of one test. */
  readonly id: string;
  /** The case's name, in a string that does not keep the report in memory. */
  readonly name: string;
}

/** The tests that are known before their report is read. */
export interface KnownTests {
  readonly keyOf: (testCase: CaseName) => TestKey;
  /**
   * The places of the passed tests of a case's suite, by name, kept for all reports of an upload, because computing their ids takes longer
   * than reading the cases. Null: tests are distinguished by their ids.
   */
  readonly placesOf: (testCase: CaseName) => Map<string, number> | null;
  /** The number of a test whose name need not be reported again. */
  readonly numberOf: (id: string) => number | undefined;
  /** Receives the passed tests whose numbers are known, of one report or several. */
  readonly passed: PassedTests;
  /** Receives the passed tests whose numbers are unknown; null = they are reported as runs. */
  readonly newPasses: NewPasses | null;
}

/** Knows no tests, so that every run is reported. */
export function nothingKnown(): KnownTests {
  const keyOf = ({ file, classname, parent, name, variant, givenId }: CaseName) => ({
    id: JSON.stringify([file, classname, parent, name, variant, givenId]),
    name: detached(name),
  });
  return {
    ...{ keyOf, placesOf: () => null, numberOf: () => undefined },
    ...{ passed: new PassedTests(), newPasses: null },
  };
}

/** Groups the cases of a report into runs. Cases with the same id are attempts at one test. */
export interface RunCollector {
  readonly add: (testCase: TestCase) => void;
  /** The runs in the order of their first cases, without the passes that `KnownTests` received. Computed again for each iteration. */
  readonly runs: Iterable<TestExecution>;
  /**
   * The runs with a failed attempt, in order of their first failure. A verdict needs no other runs, and `ReportLimits` bounds their
   * number.
   */
  readonly failing: Iterable<TestExecution>;
}

/** Attempts are appended in place: a report may hold 200,000 of one test. */
interface GrowingRun extends TestExecution {
  readonly attempts: Attempt[];
}

/** The places of a test's passes among the known tests and among the new ones; -1 = there is none. */
interface Places {
  readonly known: number;
  readonly new: number;
}

/** Further tests of one name count as one test, because a report could contain any number of them. */
const mostNamesakes = 50;

const simplyPassed = { outcome: "passed", startedAt: null } as const;

export function createRunCollector(known: KnownTests = nothingKnown()): RunCollector {
  const found = new Map<string, NewPass | GrowingRun>();
  const failed = new Set<string>();
  const firstPassed = known.passed.next;
  const firstNew = known.newPasses?.next ?? 0;
  /** How many tests share the name of one, if several do. */
  const namesakes = new Map<string, number>();
  let suite: SuiteName | null = null;

  function add(testCase: TestCase): void {
    if (addUnidentified(testCase)) return;
    const key = known.keyOf(testCase);
    const position = positionOf(key.id, testCase);
    if (position === 1) return addTo(key, testCase);
    // An id from the report belongs only to the first of these tests.
    const another = { ...testCase, name: `${testCase.name} (${position})`, givenId: null };
    const places = known.placesOf(another);
    if (places) known.newPasses?.identify(places, another.name);
    addTo(known.keyOf(another), another);
  }

  /**
   * Adds the first case of a test, if it passed. Returns false if the caller has to identify the test by its id and add the case that way.
   */
  function addUnidentified(testCase: TestCase): boolean {
    const { newPasses } = known;
    const places = known.placesOf(testCase);
    if (!newPasses || !places) return false;
    const { name, attempts } = testCase;
    if (isPass(attempts) && !places.has(name)) {
      const suite = suiteNear(testCase);
      newPasses.addUnidentified(places, { name: detached(name), suite, durationMs: durationOf(attempts) });
      return true;
    }
    newPasses.identify(places, name);
    return false;
  }

  /**
   * A test that has passed is not repeated, so a later case belongs to another test of the same name. Exception: gotestsum repeats a test
   * that has failed and passed once for each of its failed subtests.
   */
  function positionOf(id: string, { attempts }: TestCase): number {
    const last = lastAttempt(id);
    if (last?.outcome !== "passed" || isEarlier(attempts, last)) return 1;
    if (failed.has(id) && isPass(attempts)) return 1;
    const position = (namesakes.get(id) ?? 1) + 1;
    if (position > mostNamesakes) return 1;
    namesakes.set(id, position);
    return position;
  }

  function lastAttempt(id: string): Pick<Attempt, "outcome" | "startedAt"> | undefined {
    const one = found.get(id);
    if (one && "attempts" in one) return one.attempts.at(-1);
    return one || isOfThisReport(placesOf(known.numberOf(id), id)) ? simplyPassed : undefined;
  }

  /** The places where the passes of a test are kept. */
  function placesOf(number: number | undefined, id: string): Places {
    return {
      known: number === undefined ? -1 : (known.passed.placeOf(number) ?? -1),
      new: known.newPasses?.placeOf(id) ?? -1,
    };
  }

  function isOfThisReport(places: Places): boolean {
    return places.known >= firstPassed || places.new >= firstNew;
  }

  function addTo(key: TestKey, testCase: TestCase): void {
    const { attempts } = testCase;
    const { id } = key;
    if (attempts.some(({ outcome }) => outcome === "failed")) failed.add(id);
    const before = found.get(id);
    if (before) return void found.set(id, repeated(asRun(before), attempts));
    const number = known.numberOf(id);
    const places = placesOf(number, id);
    const pass = (durationMs: number | null) => passOf(testCase, key, durationMs);
    if (isOfThisReport(places)) found.set(id, repeated(asRun(pass(taken(number, id))), attempts));
    else if (!isPass(attempts)) found.set(id, runOf(pass(null), attempts));
    else if (places.known >= 0 || places.new >= 0) found.set(id, pass(durationOf(attempts)));
    else if (number !== undefined) known.passed.add({ id, number, durationMs: durationOf(attempts) });
    else if (known.newPasses) known.newPasses.add(pass(durationOf(attempts)));
    else found.set(id, pass(durationOf(attempts)));
  }

  /** Removes a pass, and returns its duration in milliseconds. */
  function taken(number: number | undefined, id: string): number | null {
    const pass = number === undefined ? null : known.passed.take(number);
    return (pass ?? known.newPasses?.take(id))?.durationMs ?? null;
  }

  function passOf(testCase: TestCase, key: TestKey, durationMs: number | null): NewPass {
    return { key, suite: suiteNear(testCase), durationMs };
  }

  /** Consecutive cases share one object. */
  function suiteNear(testCase: TestCase): SuiteName {
    if (!suite || !isOfSuite(testCase, suite)) suite = suiteOf(testCase);
    return suite;
  }

  function* runs(): Generator<TestExecution> {
    for (const one of found.values()) yield inOrder(asRun(one));
  }

  function* failing(): Generator<TestExecution> {
    for (const id of failed) {
      const one = found.get(id);
      if (one) yield inOrder(asRun(one));
    }
  }

  return { add, runs: { [Symbol.iterator]: runs }, failing: { [Symbol.iterator]: failing } };
}

/** Some writers list the last attempt first. */
function isEarlier([first]: readonly Attempt[], { startedAt }: Pick<Attempt, "startedAt">): boolean {
  return startedAt !== null && (first?.startedAt ?? startedAt) < startedAt;
}

function isPass([only, another]: readonly Attempt[]): boolean {
  return only?.outcome === "passed" && only.startedAt === null && another === undefined;
}

function durationOf([only]: readonly Attempt[]): number | null {
  return only?.durationMs ?? null;
}

function asRun(one: NewPass | GrowingRun): GrowingRun {
  if ("attempts" in one) return one;
  return runOf(one, [{ outcome: "passed", durationMs: one.durationMs, startedAt: null, failure: null }]);
}

function runOf({ suite, key }: NewPass, attempts: readonly Attempt[]): GrowingRun {
  const { file, classname, parent, variant, givenId } = suite;
  const { name } = key;
  return { file, classname, parent, name, variant, givenId, attempts: [...attempts], isRepeated: false };
}

function suiteOf({ file, classname, parent, variant, givenId }: TestCase): SuiteName {
  return {
    file: detached(file),
    classname: detached(classname),
    parent: detached(parent),
    variant: detached(variant),
    givenId: detached(givenId),
  };
}

function isOfSuite(one: TestCase, suite: SuiteName): boolean {
  return (
    one.file === suite.file &&
    one.classname === suite.classname &&
    one.parent === suite.parent &&
    one.variant === suite.variant &&
    one.givenId === suite.givenId
  );
}

function repeated(run: GrowingRun, attempts: readonly Attempt[]): GrowingRun {
  if (isTeardownError(run.attempts.at(-1), attempts)) return run;
  for (const attempt of attempts) run.attempts.push(attempt);
  return run.isRepeated ? run : { ...run, isRepeated: true };
}

/** If the fixture of a failed test also fails, pytest writes two cases. They are one failure, not two attempts. */
function isTeardownError(last: Attempt | undefined, [next, ...rest]: readonly Attempt[]): boolean {
  return last?.outcome === "failed" && rest.length === 0 && next?.failure?.kind === "error";
}

/** Sorts the attempts by their start if all of them have one. Otherwise they stay in the report's order. */
function inOrder(run: GrowingRun): TestExecution {
  const { attempts } = run;
  if (run.isRepeated && attempts.every(({ startedAt }) => startedAt !== null))
    attempts.sort((a, b) => compare(a.startedAt ?? "", b.startedAt ?? ""));
  return run;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a === b ? 0 : 1;
}
