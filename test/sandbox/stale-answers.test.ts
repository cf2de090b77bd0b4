import { expect, test } from "@jest/globals";
import { eventually } from "../scenarios/eventually.ts";
import { commitOn, openPull, tipOf } from "./commit-on-branch.ts";
import { inSandbox, refusal, type Scene, target } from "./scene.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits, so that there is an earlier state. Returns a function for its age; half of the wait is reserved for the call itself. */
async function marker({ asInstallation }: Scene): Promise<() => number> {
  // Octokit creates its token once.
  await asInstallation.rest.repos.get(target);
  // A busy machine may answer a second late.
  await pause(2_000);
  const at = Date.now() - 1_000;
  return () => Date.now() - at;
}

/** Moves main by one commit. Returns its tip before and after. */
async function moveMain({ asAlice }: Scene) {
  const before = await tipOf(asAlice, "main");
  const after = await commitOn(asAlice, before, { "more.txt": before });
  await asAlice.rest.git.updateRef({ ...target, ref: "heads/main", sha: after });
  return { before, after };
}

test("a stale reading of a branch shows its earlier tip, by every way of reading", () =>
  inSandbox(async (scene) => {
    const { sandbox, asInstallation } = scene;
    const ask = {
      "git/get-ref": async () => tipOf(asInstallation, "main"),
      "repos/get-branch": async () =>
        (await asInstallation.rest.repos.getBranch({ ...target, branch: "main" })).data.commit.sha,
      "graphql/repository": async () => {
        const query = `query { repository(owner: "acme", name: "widgets") { object(expression: "refs/heads/main") { oid } } }`;
        type Answer = { repository: { object: { oid: string } } };
        return (await asInstallation.graphql<Answer>(query)).repository.object.oid;
      },
    };
    const age = await marker(scene);
    const { before, after } = await moveMain(scene);
    for (const [operation, read] of Object.entries(ask)) {
      sandbox.faults.next({ operation, kind: "stale", staleMs: age });
      expect([await read(), await read()]).toEqual([before, after]);
    }
    expect(sandbox.faults.count()).toEqual({ stale: 3 });
  }));

test("a stale fault skips an unchanged reading, and hits the next changed one", () =>
  inSandbox(async (scene) => {
    const { sandbox, asInstallation } = scene;
    const age = await marker(scene);
    sandbox.faults.next({ operation: "git/get-ref", kind: "stale", staleMs: age });
    const main = await tipOf(asInstallation, "main");
    expect(sandbox.faults.injected).toEqual([]);
    await moveMain(scene);
    expect(await tipOf(asInstallation, "main")).toBe(main);
  }));

test("a stale reading of a pull request shows its head, state and title as they were", () =>
  inSandbox(async (scene) => {
    const { sandbox, asAlice, asInstallation } = scene;
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    await sandbox.settled();
    const pushed = await commitOn(asAlice, sha, { a: "2" });
    const age = await marker(scene);
    await asAlice.rest.git.updateRef({ ...target, ref: "heads/feature", sha: pushed });
    await asAlice.rest.pulls.update({ ...target, pull_number: number, title: "Another", state: "closed" });
    const old = { sha, state: "open", title: "Add feature" };
    const read = async () => {
      const { data } = await asInstallation.rest.pulls.get({ ...target, pull_number: number });
      return { sha: data.head.sha, state: data.state, title: data.title };
    };
    const list = async () => {
      const { data } = await asInstallation.rest.pulls.list(target);
      return data.map((pull) => ({ sha: pull.head.sha, state: pull.state, title: pull.title }));
    };
    const query = `query { repository(owner: "acme", name: "widgets") { pullRequest(number: ${number}) { state headRefOid title } } }`;
    type Answer = { repository: { pullRequest: { state: string; headRefOid: string; title: string } } };
    const ask = async () => (await asInstallation.graphql<Answer>(query)).repository.pullRequest;
    const next = (operation: string) => sandbox.faults.next({ operation, kind: "stale", staleMs: age });
    next("pulls/get");
    expect(await read()).toEqual(old);
    expect(await read()).toEqual({ sha: pushed, state: "closed", title: "Another" });
    next("pulls/list");
    expect([await list(), await list()]).toEqual([[old], []]);
    next("graphql/repository");
    expect(await ask()).toEqual({ state: "OPEN", headRefOid: sha, title: "Add feature" });
    expect(await ask()).toMatchObject({ state: "CLOSED", headRefOid: pushed });
  }));

test("a stale list of checks shows ended checks as still running", () =>
  inSandbox(
    async (scene) => {
      const { sandbox, asAlice, asInstallation } = scene;
      const { sha } = await openPull(asAlice, "feature", { a: "1" });
      await sandbox.settled();
      const list = async () => {
        const { data } = await asInstallation.rest.checks.listForRef({ ...target, ref: sha });
        return new Set(data.check_runs.map(({ status }) => status));
      };
      const ended = (await asAlice.rest.checks.listForRef({ ...target, ref: sha })).data.check_runs.map(
        ({ completed_at }) => Date.parse(completed_at ?? ""),
      );
      sandbox.faults.next({
        operation: "checks/list-for-ref",
        kind: "stale",
        // In the middle of the four seconds that they took: they ended up to a second after the times shown, and a busy
        // machine may begin and answer late.
        staleMs: Date.now() - Math.min(...ended) + 1_500,
      });
      expect([await list(), await list()]).toEqual([new Set(["in_progress"]), new Set(["completed"])]);
    },
    {},
    { ci: { durationMs: [4_000, 4_100] } },
  ));

test("a lagging ETag answers 304 only to a caller that has the earlier answer", () =>
  inSandbox(async (scene) => {
    const { sandbox, asInstallation } = scene;
    const read = (etag?: string) =>
      asInstallation.request("GET /repos/{owner}/{repo}/git/ref/{ref}", {
        ...target,
        ref: "heads/main",
        ...(etag ? { headers: { "if-none-match": etag } } : {}),
      });
    const { etag } = (await read()).headers;
    const age = await marker(scene);
    const { after } = await moveMain(scene);
    const lag = { operation: "git/get-ref", kind: "lagging_etag", lastsMs: 4_000 } as const;
    sandbox.faults.next({ ...lag, staleMs: age });
    expect((await read()).data.object.sha).toBe(after);
    await expect(read('W/"another"')).resolves.toMatchObject({ status: 200 });
    expect(sandbox.faults.injected).toEqual([]);
    await expect(read(etag)).rejects.toMatchObject({ status: 304 });
    await pause(4_020);
    expect((await read(etag)).data.object.sha).toBe(after);
  }));

test.each([
  ["base_modified", 405, /^Base branch was modified/],
  ["conflict", 409, /in progress|Conflict|Head branch/],
  ["locked", 423, /Locked/],
] as const)("a merge can be refused for a moment: %s", (kind, status, message) =>
  inSandbox(async (scene) => {
    const { sandbox, asAlice, asInstallation } = scene;
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    await sandbox.settled();
    sandbox.faults.next({ operation: "pulls/merge", kind });
    const merge = () => asInstallation.rest.pulls.merge({ ...target, pull_number: number });
    expect(await refusal(merge())).toMatchObject({ status, message: expect.stringMatching(message) });
    expect((await merge()).status).toBe(200);
  }),
);

test("a fault plan can refuse merges for a while after each change of the base", () =>
  inSandbox(
    async (scene) => {
      const { sandbox, asAlice, asInstallation } = scene;
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      await sandbox.settled();
      await moveMain(scene);
      const merge = () => asInstallation.rest.pulls.merge({ ...target, pull_number: number });
      expect(await refusal(merge())).toMatchObject({ status: 405 });
      await eventually(async () => ((await merge().catch(() => null))?.status === 200 ? true : null), "it");
      expect(sandbox.faults.count().base_modified).toBeGreaterThan(0);
    },
    { faults: { baseModifiedMs: [4_000, 4_000] } },
  ));
