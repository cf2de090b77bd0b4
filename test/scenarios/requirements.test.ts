import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { addCheck, everyRow, playRows, type Row, removeCheck } from "./required-checks.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});

afterAll(() => stage.close());

/** One row for each source, with and without bypass. The methods, policies and moments alternate; the long proof crosses them. */
const rows: readonly Row[] = [
  ...Map.groupBy(everyRow, ({ source, bypass }) => `${source} ${bypass}`).values(),
].map((group, index) => group[(index * 5) % group.length] as Row);

test("a check that becomes required while pull requests are tested is demanded, whatever requires it, and they merge once it has passed", async () => {
  expect(await playRows(stage, rows, () => ["build"], addCheck)).toEqual([]);
});

test("a check that is not required any more, or was corrected, is not waited for", async () => {
  const removals = rows.map((row, index) => ({
    ...row,
    before: index % 2 === 0 ? ["build", "lint"] : ["lint"],
  }));
  expect(await playRows(stage, removals, ({ before }) => before, removeCheck)).toEqual([]);
});
