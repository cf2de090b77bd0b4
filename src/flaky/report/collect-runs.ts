import type { TestName } from "../identity.ts";
import { detached } from "./detached.ts";
import type { Attempt, TestRun } from "./test-run.ts";

/** One test case of a report, read to its end. */
export interface TestCase extends TestName {
  readonly givenId: string | null;
  readonly variant: string;
  readonly attempts: readonly Attempt[];
}

/** Gathers the cases of a report into runs: cases of one identity are attempts at one test. */
export interface RunCollector {
  readonly add: (testCase: TestCase) => void;
  /** In the order of their groups: cases that differ in nothing but their names. Made anew each time it is gone through. */
  readonly runs: Iterable<TestRun>;
  /** Those of them that did not simply pass: few, and all that a verdict looks at. */
  readonly remarkable: Iterable<TestRun>;
}

interface Group {
  readonly of: Omit<TestCase, "name" | "attempts" | "classname">;
  /** jest-junit gives each case a class of its own: its name. It would be a group of its own. */
  readonly classname: string | null | typeof asNamed;
  /** By name. A test that passed and no more is the milliseconds that it took: most are, and a report has half a million. */
  readonly runs: Map<string, Repeatable | number | null>;
}

const asNamed = Symbol("the name of the case");

type Repeatable = Pick<TestRun, "attempts" | "isRepeated">;

export function createRunCollector(): RunCollector {
  const groups = new Map<string, Group>();
  let last: Group | null = null;

  function add(testCase: TestCase): void {
    last = last && isOfGroup(testCase, last) ? last : groupOf(testCase);
    const { attempts } = testCase;
    const name = detached(testCase.name);
    const known = last.runs.get(name);
    if (known === undefined) last.runs.set(name, compact(attempts));
    else last.runs.set(name, repeated(expand(known), attempts));
  }

  function groupOf(testCase: TestCase): Group {
    const { file, parent, variant, givenId } = testCase;
    const classname = classOf(testCase);
    const isNamed = classname === asNamed;
    const key = JSON.stringify([file, isNamed ? null : classname, isNamed, parent, variant, givenId]);
    const known = groups.get(key);
    if (known) return known;
    const group: Group = {
      of: {
        file: detached(file),
        parent: detached(parent),
        variant: detached(variant),
        givenId: detached(givenId),
      },
      classname: isNamed ? asNamed : detached(classname),
      runs: new Map(),
    };
    groups.set(key, group);
    return group;
  }

  function* runs(): Generator<TestRun> {
    for (const group of groups.values())
      for (const [name, run] of group.runs) yield runOf(group, name, expand(run));
  }

  function* remarkable(): Generator<TestRun> {
    for (const group of groups.values())
      for (const [name, run] of group.runs) if (!isPlain(run)) yield runOf(group, name, run);
  }

  return { add, runs: { [Symbol.iterator]: runs }, remarkable: { [Symbol.iterator]: remarkable } };
}

function classOf({ classname, name }: TestCase): Group["classname"] {
  return classname === name ? asNamed : classname;
}

function runOf(
  { of: { file, parent, variant, givenId }, classname }: Group,
  name: string,
  { attempts, isRepeated }: Repeatable,
): TestRun {
  const own = classname === asNamed ? name : classname;
  return { file, classname: own, parent, name, variant, givenId, attempts, isRepeated };
}

function isPlain(run: Repeatable | number | null): run is number | null {
  return typeof run !== "object" || run === null;
}

function compact(attempts: readonly Attempt[]): Repeatable | number | null {
  const [only, another] = attempts;
  const isPlain = only?.outcome === "passed" && only.startedAt === null && another === undefined;
  return isPlain ? only.durationMs : { attempts, isRepeated: false };
}

function expand(run: Repeatable | number | null): Repeatable {
  if (!isPlain(run)) return run;
  return {
    attempts: [{ outcome: "passed", durationMs: run, startedAt: null, failure: null }],
    isRepeated: false,
  };
}

function isOfGroup(one: TestCase, { of, classname }: Group): boolean {
  return (
    classOf(one) === classname &&
    one.file === of.file &&
    one.parent === of.parent &&
    one.variant === of.variant &&
    one.givenId === of.givenId
  );
}

function repeated(run: Repeatable, attempts: readonly Attempt[]): Repeatable {
  if (isTeardownError(run.attempts.at(-1), attempts)) return run;
  return { attempts: inOrder([...run.attempts, ...attempts]), isRepeated: true };
}

/** pytest writes a test that fails, and whose fixture then fails as well, as two cases: one failure, not two attempts. */
function isTeardownError(last: Attempt | undefined, [next, ...rest]: readonly Attempt[]): boolean {
  return last?.outcome === "failed" && rest.length === 0 && next?.failure?.kind === "error";
}

/** By the time that they started, where all of them say so; else as the report has them. */
function inOrder(attempts: readonly Attempt[]): readonly Attempt[] {
  if (attempts.some(({ startedAt }) => startedAt === null)) return attempts;
  return attempts.toSorted((a, b) =>
    (a.startedAt ?? "") < (b.startedAt ?? "") ? -1 : a.startedAt === b.startedAt ? 0 : 1,
  );
}
