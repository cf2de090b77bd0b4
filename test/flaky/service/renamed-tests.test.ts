import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { day } from "../../../src/flaky/detection/settings.ts";
import type { NewTestUpload } from "../../../src/flaky/store/uploads/upload-records.ts";
import { testRepo } from "../../contract/build-test-upload.ts";
import { type Outcomes, TestYard } from "./test-yard.ts";

let yard: TestYard;
beforeEach(async () => {
  yard = await TestYard.open();
});
afterEach(() => yard.store.close());

const evaluate = () => yard.newEvaluator().evaluateAll();
const [before, after] = ["pays by card", "pays by credit card"];

async function detailsOf(name: string) {
  const details = await yard.store.testReads.details(testRepo, `id-of-${name}`, yard.now);
  if (!details) throw new Error(`there is no test ${name}`);
  return details;
}

const renamedFrom = async (name: string) => (await detailsOf(name)).renamedFrom;

/** Uploads results of a test that is flaky, and green on main since. */
async function showFlaky(name: string): Promise<void> {
  await yard.ran("flaky", { [name]: "FP", stops: "P" });
  await yard.ran("green", { [name]: "P", stops: "P" });
}

/** Uploads the next run on main, and evaluates it. */
async function ran(tree: string, outcomes: Outcomes, more: Partial<NewTestUpload> = {}): Promise<void> {
  await yard.ran(tree, outcomes, more);
  await evaluate();
}

describe("a renamed test", () => {
  it("is found when all its uploads are evaluated together", async () => {
    await showFlaky(before);
    await yard.ran("renamed", { [after]: "P", stops: "P" });
    await yard.ran("later", { [after]: "P", stops: "P" });
    await evaluate();
    expect([await yard.statusOf(before), await yard.statusOf(after)]).toEqual(["HEALTHY", "FLAKY"]);
    expect(await yard.test(after)).toMatchObject({ isQuarantined: true });
    expect(await yard.test(before)).toMatchObject({ isQuarantined: false });
  });

  it("recovers by the runs under both names", async () => {
    await showFlaky(before);
    await ran("renamed", { [after]: "P", stops: "P" });
    const history = await yard.history(after);
    expect(history?.lines.main?.recovery).toMatchObject({ clean: 2 });
    expect(await yard.counts(after)).toEqual({ runs: 3, failures: 1 });
  });

  it("keeps its runs under all earlier names, and its previous name after that test is deleted", async () => {
    await showFlaky(before);
    await ran("renamed", { [after]: "P", stops: "P" });
    const again = "pays by a credit card";
    await ran("renamed again", { [again]: "P", stops: "P" });
    expect(await detailsOf(again)).toMatchObject({
      ...{ renamedFrom: after, lastWeek: { runs: 4, failures: 1 } },
      commonFailures: [{ count: 1 }],
    });
    const held = await yard.store.testResults.quarantined(
      yard.repositoryId,
      [`id-of-${before}`],
      yard.place(),
    );
    expect([...held.keys()]).toEqual([`id-of-${before}`]);
    for (let passed = 0; passed < 60; passed += 20) {
      yard.now += 20 * day;
      await ran(`later ${passed}`, { [again]: "P", stops: "P" });
    }
    while ((await yard.store.testEvaluations.forget(yard.now - 45 * day, 100)) > 0);
    await expect(yard.test(after)).rejects.toThrow("there is no test");
    expect(await renamedFrom(again)).toBe(after);
  });

  it.each([
    ["one after another", evaluate],
    ["together", async () => {}],
  ])("is found in the last of several jobs that report it, evaluated %s", async (_how, between) => {
    const another = { job: "another" };
    await showFlaky(before);
    await yard.ran("green", { [before]: "P", stops: "P" }, another);
    await evaluate();
    await yard.ran("renamed", { [after]: "P", stops: "P" });
    await between();
    await ran("renamed", { [after]: "P", stops: "P" }, another);
    expect([await renamedFrom(after), await yard.statusOf(after)]).toEqual([before, "FLAKY"]);
    expect(await yard.counts(after)).toEqual({ runs: 5, failures: 1 });
  });

  it("is found in a later attempt if its new name failed in the first", async () => {
    await showFlaky(before);
    await ran("renamed", { [after]: "F", stops: "P" }, { runId: "run" });
    await ran("renamed", { [after]: "P", stops: "P" }, { runId: "run", runAttempt: 2 });
    expect([await renamedFrom(after), await yard.statusOf(after)]).toEqual([before, "FLAKY"]);
  });

  it("is found once, even if the same commit is tested again", async () => {
    await showFlaky(before);
    await ran("renamed", { [after]: "P", stops: "F" }, { runId: "run" });
    const { changes } = await detailsOf(after);
    await ran("renamed", { [after]: "P", stops: "P" }, { runId: "run", runAttempt: 2 });
    expect([await renamedFrom(after), (await detailsOf(after)).changes]).toEqual([before, changes]);
  });

  it("is not reported as newly flaky", async () => {
    await showFlaky(before);
    await evaluate();
    const { changes } = await detailsOf(before);
    await ran("renamed", { [after]: "P", stops: "P" });
    expect((await detailsOf(after)).changes).toEqual(changes);
  });

  it("keeps the status that was found under its new name in pull requests", async () => {
    await yard.ran("green", { [before]: "P", stops: "P" });
    for (const pr of [1, 2, 3, 4, 5]) {
      const pull = { kind: "pr", pr, headSha: `head-${pr}` } as const;
      await yard.ran(`pull ${pr}`, { [after]: "FP", stops: "P" }, pull);
    }
    await ran("renamed", { [after]: "P", stops: "P" });
    expect(await renamedFrom(after)).toBe(before);
    expect(await yard.statusOf(after)).toBe("FLAKY");
  });
});

describe("no test is renamed", () => {
  it("in the first upload of a job", async () => {
    await showFlaky(before);
    await ran("other job", { [after]: "P", stops: "P" }, { job: "another" });
    expect(await renamedFrom(after)).toBeNull();
  });

  it("when the new name failed", async () => {
    await showFlaky(before);
    await ran("renamed", { [after]: "F", stops: "P" });
    expect(await renamedFrom(after)).toBeNull();
  });

  it("when the new name has run on a stable branch before", async () => {
    await ran("both", { [before]: "P", [after]: "P", stops: "P" });
    await ran("one", { [before]: "P", stops: "P" });
    await ran("the other", { [after]: "P", stops: "P" });
    expect(await renamedFrom(after)).toBeNull();
  });

  it("when the new name has run on a stable branch in an upload that is evaluated together with this one", async () => {
    await yard.ran("both", { [before]: "P", [after]: "P", stops: "P" });
    await yard.ran("one", { [before]: "P", stops: "P" });
    await ran("the other", { [after]: "P", stops: "P" });
    expect(await renamedFrom(after)).toBeNull();
  });

  it("in another attempt of the same run", async () => {
    await ran("tree", { [before]: "P", stops: "P" }, { runId: "run" });
    await ran("tree", { [after]: "P", stops: "P" }, { runId: "run", runAttempt: 2 });
    expect(await renamedFrom(after)).toBeNull();
  });

  it("when each upload of a run has other tests", async () => {
    await yard.ran("one", { spins: "P" }, { runId: "first" });
    await yard.ran("one", { [before]: "P" }, { runId: "first" });
    await ran("two", { spins: "P", [after]: "P" }, { runId: "second" });
    expect(await renamedFrom(after)).toBeNull();
  });

  it("when most tests were replaced", async () => {
    const many = (word: string) =>
      Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`${word} ${at}`, "P"]));
    await yard.ran("green", { [before]: "P", ...many("old") });
    await ran("replaced", { [after]: "P", ...many("new") });
    expect(await renamedFrom(after)).toBeNull();
  });
});
