import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { addCheck, everyRow, playRows, removeCheck } from "./required-checks.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

// A stage for each test, because GitHub's limit of calls is for all repositories of an owner.
beforeEach(async () => {
  stage = await Stage.open();
});

afterEach(() => stage.close());

const cases = Map.groupBy(
  everyRow,
  ({ source, bypass }) => `${source}, ${bypass ? "with" : "without"} bypass`,
);

describe.each([...cases])("by every method and policy, with required checks by %s,", (_name, rows) => {
  test("a check that becomes required is demanded, and evicts nothing", async () => {
    expect(await playRows(stage, rows, () => ["build"], addCheck)).toEqual([]);
  });

  test("a check that is not required any more is not waited for", async () => {
    const removals = rows
      .filter(({ when }) => when === "running")
      .flatMap((row) => [["build", "lint"], ["lint"]].map((before) => ({ ...row, before })));
    expect(await playRows(stage, removals, ({ before }) => before, removeCheck)).toEqual([]);
  });
});
