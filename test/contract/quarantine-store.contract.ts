import { describe, expect, it } from "@jest/globals";
import type { StatusChange } from "../../src/flaky/detection/status.ts";
import type { QuarantineMode } from "../../src/flaky/quarantine/decide-quarantine.ts";
import type { QuarantineInputs, QuarantinePlan } from "../../src/flaky/store/quarantines/quarantine-store.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import {
  buildEvaluated,
  buildHistory,
  buildNamedTest,
  buildTestUpload,
  testRepo,
} from "./build-test-upload.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const flaky: StatusChange = { status: "FLAKY", at: 900, reason: { code: "FAILS_NOW_AND_THEN", streaks: 2 } };

/** Creates two repositories with tests of the same names, and therefore the same ids. */
async function know(store: Store, ...names: string[]): Promise<{ own: number; foreign: number }> {
  const { testResults } = store;
  const { id: own } = await testResults.addRepository(testRepo);
  const { id: foreign } = await testResults.addRepository({ ...testRepo, owner: "Elsewhere" });
  for (const id of [own, foreign]) await testResults.know(id, names.map(buildNamedTest), 1_000);
  return { own, foreign };
}

const idOf = (name: string) => `id-of-${name}`;

/** Quarantines the candidates with these names. */
function planOf(names: readonly string[], { since = 1_000, expiresAt = 2_000, mode = "AUTO" } = {}) {
  return ({ candidates }: QuarantineInputs): QuarantinePlan => ({
    revisions: candidates
      .filter(({ name }) => names.includes(name))
      .map(({ sk }) => ({
        ...{ sk, mode: mode as QuarantineMode, isQuarantined: true },
        quarantine: { since, expiresAt, owner: "@acme/all", reason: "It turns" },
      })),
    isBudgetSpent: false,
  });
}

function quarantine(store: Store, repositoryId: number, names: string[], more = {}): Promise<QuarantinePlan> {
  return store.quarantines.revise(repositoryId, names.map(idOf), 1_000, planOf(names, more));
}

async function turnFlaky(store: Store, repositoryId: number, name: string): Promise<void> {
  await store.testResults.record(repositoryId, buildTestUpload());
  const test = await store.quarantines.find(repositoryId, idOf(name));
  const tests = buildEvaluated([[test?.sk ?? -1, buildHistory(flaky, 950)]]);
  const uploads = await store.testEvaluations.unevaluated(9);
  expect(await store.testEvaluations.settle({ uploads, tests, at: 1_000 })).toBe(true);
}

export function quarantineStoreContract(create: CreateDatabase): void {
  describe("the quarantine store", () => {
    const open = databaseForEachTest(create);

    async function openWithTests(...names: string[]) {
      const store = await open();
      return { store, ...(await know(store, ...names)) };
    }

    it("returns a test with its initial state", async () => {
      const { store, own } = await openWithTests("a");
      expect(await store.quarantines.find(own, "id-of-a")).toEqual({
        ...{ ...buildNamedTest("a"), sk: expect.any(Number), mode: "AUTO" },
        status: { status: "HEALTHY", at: 1_000, reason: { code: "NOTHING_KNOWN" } },
        ...{ provenAt: null, isQuarantined: false, quarantine: null, ticketUrl: null },
      });
      expect(await store.quarantines.find(own, "id-of-b")).toBeNull();
    });

    it("gives a plan the flaky, quarantined and named tests of its repository only, and the number of tests", async () => {
      const { store, own, foreign } = await openWithTests("flaky", "held", "named", "other");
      await turnFlaky(store, own, "flaky");
      await turnFlaky(store, foreign, "other");
      await quarantine(store, own, ["held"]);
      await quarantine(store, foreign, ["other"]);
      const scenes: QuarantineInputs[] = [];
      await store.quarantines.revise(own, ["id-of-named", "id-of-nothing"], 1_000, (scene) => {
        scenes.push(scene);
        return { revisions: [], isBudgetSpent: null };
      });
      const [scene] = scenes;
      expect(scene?.candidates.map(({ name }) => name).toSorted()).toEqual(["flaky", "held", "named"]);
      expect(scene?.candidates.find(({ name }) => name === "flaky")?.status).toEqual(flaky);
      expect(scene?.candidates.find(({ name }) => name === "flaky")?.provenAt).toBe(950);
      expect(scene).toMatchObject({ tests: 4, settings: { enabled: true } });
    });

    it("gives a plan a quarantine set by a person only if it has expired or is named", async () => {
      const { store, own } = await openWithTests("held", "expired", "detected");
      await quarantine(store, own, ["held"], { mode: "ALWAYS", expiresAt: 2_000 });
      await quarantine(store, own, ["expired"], { mode: "ALWAYS", expiresAt: 1_500 });
      await quarantine(store, own, ["detected"]);
      const shown = async (ids: readonly string[]) => {
        const scenes: QuarantineInputs[] = [];
        await store.quarantines.revise(own, ids, 1_500, (scene) => {
          scenes.push(scene);
          return { revisions: [], isBudgetSpent: null };
        });
        return scenes[0]?.candidates.map(({ name }) => name).toSorted();
      };
      expect(await shown([])).toEqual(["detected", "expired"]);
      expect(await shown(["id-of-held"])).toEqual(["detected", "expired", "held"]);
    });

    it("gives a plan any number of quarantines by detection", async () => {
      const names = Array.from({ length: 2_100 }, (_, index) => `test ${index}`);
      const { store, own } = await openWithTests(...names);
      await quarantine(store, own, names);
      const { revisions } = await store.quarantines.revise(own, [], 1_000, planOf(names));
      expect(revisions).toHaveLength(names.length);
    });

    it("lists a few quarantined tests among many", async () => {
      const names = Array.from({ length: 4_100 }, (_, index) => `test ${String(index).padStart(4, "0")}`);
      const { store, own } = await openWithTests(...names);
      const rare = ["test 0000", "test 2500", "test 4099"];
      await quarantine(store, own, rare);
      const listed = await store.quarantines.list(own, "", 9);
      expect(listed.map(({ name }) => name)).toEqual(rare);
      const page = await store.quarantines.list(own, "id-of-test 0000", 1);
      expect(page.map(({ name }) => name)).toEqual(["test 2500"]);
    });

    it("applies a plan for every process", async () => {
      const { store, own } = await openWithTests("a", "b");
      await quarantine(store, own, ["a"], { mode: "ALWAYS" });
      const other = await open();
      expect(await other.quarantines.find(own, "id-of-a")).toMatchObject({
        ...{ mode: "ALWAYS", isQuarantined: true },
        quarantine: { since: 1_000, expiresAt: 2_000, owner: "@acme/all", reason: "It turns" },
      });
      expect(await other.quarantines.find(own, "id-of-b")).toMatchObject({ mode: "AUTO", quarantine: null });
      const [held] = (await other.quarantines.list(own, "", 9)).map(({ sk }) => sk);
      const ended = { sk: held ?? -1, mode: "NEVER", isQuarantined: false, quarantine: null } as const;
      await other.quarantines.revise(own, [], 1_000, () => ({ revisions: [ended], isBudgetSpent: null }));
      expect(await store.quarantines.find(own, "id-of-a")).toMatchObject({
        ...{ mode: "NEVER", isQuarantined: false, quarantine: null },
      });
    });

    it("changes nothing when a plan throws", async () => {
      const { store, own } = await openWithTests("a", "b");
      const broken = store.quarantines.revise(own, ["id-of-a"], 1_000, () => {
        throw new Error("no plan");
      });
      await expect(broken).rejects.toThrow("no plan");
      expect((await store.quarantines.find(own, "id-of-a"))?.isQuarantined).toBe(false);
    });

    it("runs plans one after another, so that a budget holds", async () => {
      const { store, own } = await openWithTests("a", "b", "c");
      const other = await open();
      const plan = (name: string) => (scene: QuarantineInputs) =>
        scene.candidates.some(({ isQuarantined }) => isQuarantined)
          ? { revisions: [], isBudgetSpent: true }
          : planOf([name])(scene);
      const plans = await Promise.all([
        store.quarantines.revise(own, ["id-of-a"], 1_000, plan("a")),
        other.quarantines.revise(own, ["id-of-b"], 1_000, plan("b")),
        store.quarantines.revise(own, ["id-of-c"], 1_000, plan("c")),
      ]);
      expect(plans.map(({ isBudgetSpent }) => isBudgetSpent).toSorted()).toEqual([false, true, true]);
      expect(await store.quarantines.list(own, "", 9)).toHaveLength(1);
    });

    it("never changes a test of another repository, even if a plan names it", async () => {
      const { store, own, foreign } = await openWithTests("a");
      const theirs = await store.quarantines.find(foreign, "id-of-a");
      await quarantine(store, own, ["a"]);
      const stray = { sk: theirs?.sk ?? -1, mode: "ALWAYS", isQuarantined: true, quarantine: null } as const;
      await store.quarantines.revise(own, [], 1_000, () => ({ revisions: [stray], isBudgetSpent: null }));
      await store.quarantines.linkTicket(own, "id-of-a", "https://tickets.example/1");
      expect(await store.quarantines.find(foreign, "id-of-a")).toEqual(theirs);
      expect(await store.quarantines.list(foreign, "", 9)).toEqual([]);
    });

    it("returns each repository once that has an expired quarantine which was not ended", async () => {
      const { store, own, foreign } = await openWithTests("a", "b");
      await quarantine(store, own, ["a", "b"], { expiresAt: 2_000 });
      await quarantine(store, foreign, ["a"], { expiresAt: 3_000 });
      expect(await store.quarantines.due(1_999)).toEqual([]);
      expect(await store.quarantines.due(2_000)).toEqual([own]);
      expect((await store.quarantines.due(3_000)).toSorted()).toEqual([own, foreign].toSorted());
      await store.quarantines.revise(own, [], 2_000, ({ candidates }) => ({
        revisions: candidates.map(({ sk, quarantine: held }) => ({
          ...{ sk, mode: "AUTO", isQuarantined: false, quarantine: held },
        })),
        isBudgetSpent: null,
      }));
      expect(await store.quarantines.due(2_000)).toEqual([]);
    });

    it("returns the quarantines of an upload's tests until they expire", async () => {
      const { store, own, foreign } = await openWithTests("a", "b");
      await quarantine(store, own, ["a"]);
      await store.quarantines.linkTicket(own, "id-of-a", "https://tickets.example/1");
      const held = (repositoryId: number, at: number) =>
        store.testResults.quarantined(repositoryId, ["id-of-a", "id-of-b"], {
          at,
          line: "main",
          pullRequests: [],
        });
      const ticketUrl = "https://tickets.example/1";
      expect(await held(own, 1_999)).toEqual(
        new Map([["id-of-a", { owner: "@acme/all", reason: "It turns", expiresAt: 2_000, ticketUrl }]]),
      );
      expect((await held(own, 2_000)).size).toBe(0);
      expect((await held(foreign, 1_000)).size).toBe(0);
    });

    it("links a ticket, and removes it", async () => {
      const { store, own } = await openWithTests("a");
      const { quarantines } = store;
      const ticket = async () => (await quarantines.find(own, "id-of-a"))?.ticketUrl;
      expect(await quarantines.linkTicket(own, "id-of-a", "https://tickets.example/1")).toBe(true);
      expect(await ticket()).toBe("https://tickets.example/1");
      expect(await quarantines.linkTicket(own, "id-of-a", null)).toBe(true);
      expect(await ticket()).toBeNull();
      expect(await quarantines.linkTicket(own, "id-of-b", "https://tickets.example/1")).toBe(false);
    });

    it("links the tickets of many tests in one repository, and ignores unknown tests", async () => {
      const { store, own, foreign } = await openWithTests("a", "b", "c");
      const urls = new Map([
        ["id-of-a", "https://tickets.example/1"],
        ["id-of-nothing", "https://tickets.example/2"],
        ["id-of-c", "https://tickets.example/3"],
      ]);
      await store.quarantines.linkTickets(own, urls);
      const ticket = async (name: string) => (await store.quarantines.find(own, idOf(name)))?.ticketUrl;
      expect([await ticket("a"), await ticket("b"), await ticket("c")]).toEqual([
        "https://tickets.example/1",
        null,
        "https://tickets.example/3",
      ]);
      expect(await store.quarantines.list(foreign, "", 9)).toEqual([]);
    });

    it("lists tests that are quarantined, have a setting or have a ticket, page by page and by id", async () => {
      const { store, own } = await openWithTests("a", "b", "c", "d", "e");
      const { quarantines } = store;
      await quarantine(store, own, ["e", "a"]);
      await quarantines.linkTicket(own, "id-of-d", "https://tickets.example/1");
      await quarantines.revise(own, ["id-of-b"], 1_000, ({ candidates }) => ({
        revisions: candidates
          .filter(({ name }) => name === "b")
          .map(({ sk }) => ({ sk, mode: "NEVER", isQuarantined: false, quarantine: null })),
        isBudgetSpent: null,
      }));
      for (const limit of [1, 2, 3, 9]) {
        const listed: string[] = [];
        for (let page = await quarantines.list(own, "", limit); page.length > 0 && listed.length < 9; ) {
          expect(page.length).toBeLessThanOrEqual(limit);
          listed.push(...page.map(({ name }) => name));
          page = await quarantines.list(own, page.at(-1)?.id ?? "", limit);
        }
        expect(listed).toEqual(["a", "b", "d", "e"]);
      }
    });
  });
}
