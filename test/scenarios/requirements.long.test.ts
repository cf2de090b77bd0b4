import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { addCheck, everyRow, playRows, removeCheck } from "./required-checks.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});

afterAll(() => stage.close());

test("a check that becomes required is demanded by every source × method × policy, with and without bypass, and evicts nothing", async () => {
  expect(await playRows(stage, everyRow, () => ["build"], addCheck)).toEqual([]);
});

test("a check that is not required any more is waited for by none of them", async () => {
  const removals = everyRow
    .filter(({ when }) => when === "running")
    .flatMap((row) => [["build", "lint"], ["lint"]].map((before) => ({ ...row, before })));
  expect(await playRows(stage, removals, ({ before }) => before, removeCheck)).toEqual([]);
});
