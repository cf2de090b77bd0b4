import { describe, expect, test } from "@jest/globals";
import { createRunCollector, type TestCase } from "../../src/flaky/report/collect-runs.ts";
import { NewPasses, PassedTests } from "../../src/flaky/report/passed-tests.ts";

import type { Attempt } from "../../src/flaky/report/test-execution.ts";

const passedIn = (durationMs: number | null): Attempt => ({
  ...{ outcome: "passed", startedAt: null, failure: null },
  durationMs,
});
const failed: Attempt = {
  ...{ outcome: "failed", durationMs: 1, startedAt: null },
  failure: { kind: "failure", type: null, message: null, text: "" },
};
const caseOf = (name: string, ...attempts: Attempt[]): TestCase => ({
  ...{ name, file: "a.ts", classname: null, parent: null, givenId: null, variant: "", attempts },
});

describe("a report of known tests", () => {
  test("keeps passes as numbers, and returns all other runs", () => {
    const { passed, read } = knowing({ a: 7, b: 8, c: 9 });
    const told = read([caseOf("a", passedIn(3)), caseOf("b", failed), caseOf("d", passedIn(4))]);
    expect([...passed]).toEqual([{ id: "a", number: 7, durationMs: 3 }]);
    expect(told).toEqual(["b: failed"]);
  });

  test("counts a failure after a pass as another test of the same name", () => {
    const { passed, read } = knowing({ a: 7 });
    expect(read([caseOf("a", passedIn(null)), caseOf("a", failed)])).toEqual(["a (2): failed"]);
    expect([...passed]).toEqual([{ id: "a", number: 7, durationMs: null }]);
  });

  test("counts a pass after a failure as the same test or another one", () => {
    const { read } = knowing({ a: 7 });
    expect(read([caseOf("a", failed), caseOf("a", passedIn(null)), caseOf("a", failed)])).toEqual([
      "a: failed, passed, in cases",
      "a (2): failed",
    ]);
  });

  test("tells at most fifty tests of one name apart", () => {
    const { newPasses, read } = knowing({});
    expect(read(Array.from({ length: 200 }, () => caseOf("a", passedIn(null))))).toEqual([
      `a: ${Array(151).fill("passed").join(", ")}, in cases`,
    ]);
    expect([...newPasses].map(({ key }) => key.name)).toEqual(
      Array.from({ length: 49 }, (_, index) => `a (${index + 2})`),
    );
  });

  test("returns a pass in a second report as a run with one attempt", () => {
    const { passed, read } = knowing({ a: 7 });
    expect(read([caseOf("a", passedIn(3))])).toEqual([]);
    expect(read([caseOf("a", passedIn(5))])).toEqual(["a: passed"]);
    expect(passed.take(7)).toEqual({ id: "a", number: 7, durationMs: 3 });
    expect([passed.take(7), passed.size]).toEqual([null, 0]);
  });
});

describe.each([
  ["whose ids are remembered", () => null],
  ["whose ids are not computed yet", () => new Map<string, number>()],
])("a report of new tests %s", (_which, places) => {
  const suite = { file: "a.ts", classname: null, parent: null, givenId: null, variant: "" };
  const newPass = (name: string, durationMs: number | null) => ({
    key: { id: name, name },
    suite,
    durationMs,
  });

  test("keeps passes by name, and returns all other runs", () => {
    const { newPasses, read } = knowing({}, places());
    const told = read([caseOf("a", passedIn(3)), caseOf("b", failed), caseOf("c", passedIn(null))]);
    expect([...newPasses]).toEqual([newPass("a", 3), newPass("c", null)]);
    expect(told).toEqual(["b: failed"]);
  });

  test("counts a failure after a pass as another test of the same name", () => {
    const { newPasses, read } = knowing({}, places());
    expect(read([caseOf("a", passedIn(3)), caseOf("a", failed)])).toEqual(["a (2): failed"]);
    expect([...newPasses]).toEqual([newPass("a", 3)]);
  });

  test("returns a pass in a second report as a run with one attempt", () => {
    const { newPasses, read } = knowing({}, places());
    expect(read([caseOf("a", passedIn(3))])).toEqual([]);
    expect(read([caseOf("a", passedIn(5))])).toEqual(["a: passed"]);
    expect(newPasses.take("a")).toEqual(newPass("a", 3));
    expect([newPasses.take("a"), newPasses.size]).toEqual([null, 0]);
  });

  test("counts a test named like the second case of another test as that test", () => {
    const { newPasses, read } = knowing({}, places());
    const cases = [caseOf("a (2)", passedIn(1)), caseOf("a", passedIn(2)), caseOf("a", failed)];
    expect(read(cases)).toEqual(["a (2): passed, failed, in cases"]);
    expect([...newPasses]).toEqual([newPass("a", 2)]);
  });
});

function knowing(numbers: Readonly<Record<string, number>>, places: Map<string, number> | null = null) {
  const keyOf = ({ name }: { name: string }) => ({ id: name, name });
  const known = { keyOf, placesOf: () => places, numberOf: (id: string) => numbers[id] };
  const [passed, newPasses] = [new PassedTests(), new NewPasses(keyOf)];
  return {
    passed,
    newPasses,
    read(cases: readonly TestCase[]): string[] {
      const collector = createRunCollector({ ...known, passed, newPasses });
      for (const one of cases) collector.add(one);
      return [...collector.runs].map(
        ({ name, attempts, isRepeated }) =>
          `${name}: ${attempts.map(({ outcome }) => outcome).join(", ")}${isRepeated ? ", in cases" : ""}`,
      );
    },
  };
}
