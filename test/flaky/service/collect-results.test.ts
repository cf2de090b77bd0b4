import { describe, expect, test } from "@jest/globals";
import type { CaseName } from "../../../src/flaky/report/collect-runs.ts";
import { NewPasses, PassedTests } from "../../../src/flaky/report/passed-tests.ts";

import { collectResults } from "../../../src/flaky/service/uploads/collect-results.ts";
import { readReports } from "../../../src/flaky/service/uploads/read-reports.ts";
import type { NamedTest } from "../../../src/flaky/store/uploads/upload-records.ts";

const failure = `<failure message="no"/>`;
const caseOf = (name: string, inner = "", seconds = 1) =>
  `<testcase name="${name}" classname="Class" time="${seconds}">${inner}</testcase>`;
const reportOf = (...cases: readonly string[]) => `<testsuite name="suite">${cases.join("")}</testsuite>`;

/** The collected results of reports whose tests first have the numbers `known`, and later the numbers `later`. */
async function collected(
  reports: readonly string[],
  known: Readonly<Record<string, number>>,
  later: Readonly<Record<string, number>>,
  places: Map<string, number> | null = null,
) {
  const numberOf = (id: string) => known[id];
  const keyOf = ({ name }: Pick<CaseName, "name">) => ({ id: name, name });
  const placesOf = () => places;
  const [passed, newPasses] = [new PassedTests(), new NewPasses(keyOf)];
  const sent = reports.map((xml, index) => ({ path: `${index}.xml`, pieces: piecesOf(xml) }));
  const read = await readReports(sent, { keyOf, placesOf, numberOf, passed, newPasses });
  const told: NamedTest[] = [];
  const { results, counts } = await collectResults({
    ...{ passed, newPasses, numberOf },
    runs: read.reports.flatMap(({ runs }) => [...runs]),
    idOf: ({ name }) => name,
    variantOf: () => "linux",
    ownersOf: () => ["@acme/a"],
    isQuarantined: () => false,
    isRetried: () => true,
    know: async (tests) => {
      told.push(...tests);
      return new Map(Object.entries(later));
    },
  });
  const ended = [...results].map(({ id, sk, first, last, durationMs }) => ({
    id,
    sk,
    first,
    last,
    durationMs,
  }));
  return { told, ended: ended.toSorted((one, other) => (one.id < other.id ? -1 : 1)), counts };
}

async function* piecesOf(xml: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(xml);
}

const reports = [
  reportOf(caseOf("a"), caseOf("b"), caseOf("c"), caseOf("k")),
  reportOf(caseOf("a", failure), caseOf("b", "", 2), caseOf("d", "<skipped/>"), caseOf("k", "", 3)),
];
const ended = (numbers: Readonly<Record<string, number>>) => {
  const one = (id: string, first: string, last: string, durationMs: number) => ({
    ...{ id, sk: numbers[id], first, last, durationMs },
  });
  return [
    one("a", "passed", "failed", 2_000),
    one("b", "passed", "passed", 3_000),
    one("c", "passed", "passed", 1_000),
    one("d", "skipped", "skipped", 1_000),
    one("k", "passed", "passed", 4_000),
  ];
};
const counts = { tests: 5, failedAtFirst: 0, passed: 3, failed: 1, skipped: 1 };

describe("the results of tests in several reports", () => {
  test("register each new test once, and contain one result for it", async () => {
    const numbers = { a: 2, b: 3, c: 4, d: 5, k: 1 };
    const found = await collected(reports, { k: 1 }, numbers);
    expect(found.told.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(found.told.find(({ id }) => id === "c")).toEqual({
      ...{ id: "c", name: "c", parent: "suite", file: null, classname: "Class" },
      ...{ variant: "linux", owners: ["@acme/a"] },
    });
    expect(found.ended.map(({ sk: _, ...one }) => one)).toEqual(
      ended(numbers).map(({ sk: _, ...one }) => one),
    );
    expect(found.ended.find(({ id }) => id === "c")).toMatchObject({ sk: 4 });
    expect(found.counts).toEqual(counts);
  });

  test.each([
    ["their ids are remembered", null],
    ["their ids are not computed yet", new Map<string, number>()],
  ])("are the same when nothing is stored and %s", async (_case, places) => {
    const found = await collected(reports, {}, {}, places);
    expect(found.ended).toEqual(ended({}));
    expect(found.counts).toEqual(counts);
  });
});
