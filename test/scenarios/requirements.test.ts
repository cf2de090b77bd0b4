import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { addCheck, everyRow, playRows, type Repository, type Row, removeCheck } from "./required-checks.ts";
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

test("rules are followed while the repository file is invalid", async () => {
  const row = {
    source: "protection",
    bypass: true,
    method: "squash",
    policy: "fixed",
    when: "running",
  } as const;
  async function breakFile(_stage: Stage, _row: Row, repository: Repository): Promise<void> {
    const first = await repository.submit("one", { ".github/trainyard.yml": "requiredStatuses: 7\n" });
    const second = await repository.submit("two", { "facts/2.json": "{}\n" });
    await repository.until(second, "testing");
    repository.build.open();
    await repository.until(first, "merged");
    await repository.require(["build", "test"]);
    await repository.waitsFor(second, "test");
    repository.test.open();
    await repository.until(second, "merged");
  }
  expect(await playRows(stage, [row], () => ["build"], breakFile)).toEqual([]);
});
