import { afterEach, expect, test } from "@jest/globals";
import { day } from "../../../src/flaky/detection/settings.ts";
import { TestIssues } from "../../../src/flaky/service/test-issues.ts";
import { AppClient } from "../../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../../src/github/github-code-host.ts";
import { Directory } from "../../../src/service/runtime/directory.ts";
import type { RepositoryOptions } from "../../../tools/sandbox/create-repository.ts";
import type { Sandbox } from "../../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../../tools/sandbox/start-sandbox.ts";
import { client } from "../../sandbox/scene.ts";
import { TestYard } from "./test-yard.ts";

const target = { owner: "Acme", repo: "Widgets" };
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let sandbox: Sandbox;
let yard: TestYard;
afterEach(async () => {
  await yard.store.close();
  expect(sandbox.violations).toEqual([]);
  await sandbox.close();
});

/** Opens a repository with flaky tests and with issues on. Returns a function that does all due work and returns its amount. */
async function open(options: Partial<RepositoryOptions> = {}): Promise<(again?: boolean) => Promise<number>> {
  sandbox = await startSandbox();
  await sandbox.createRepository({ owner: target.owner, name: target.repo, files: { a: "1" }, ...options });
  yard = await TestYard.open();
  const { store, repositoryId } = yard;
  const { id: appId, privateKey } = sandbox.app;
  const app = new AppClient({ appId, privateKey, apiUrl: `${sandbox.url}/api/v3` }, log);
  const host = { name: "github.com", api: new GitHubCodeHost(app, "trainyard-scratch/") };
  const issues = new TestIssues({ ...yard.context, directory: new Directory(store.queues, host), log });
  await store.testSettings.change(repositoryId, { issues: true });
  await yard.ran("T1", { turns: "FP", slips: "FP" });
  await yard.newEvaluator().evaluateAll();
  return async (again = false) => {
    await store.testIssues.plan(repositoryId, yard.now, 10);
    let done = 0;
    for (;;) {
      const claim = { owner: "w", now: yard.now, leaseMs: 1_000, limit: 1 };
      const [due] = await store.testIssues.claim(claim);
      if (!due) return done;
      await issues.execute(due);
      if (again) await issues.execute({ ...due, attempts: 1 });
      done += 1;
    }
  };
}

async function listed() {
  const alice = client(sandbox, sandbox.createUser({ login: "alice", permission: "write" }).token);
  const { data } = await alice.rest.issues.listForRepo({ ...target, state: "all" });
  return Promise.all(
    data.map(async ({ number, state }) => {
      const { data: comments } = await alice.rest.issues.listComments({ ...target, issue_number: number });
      return { state, comments: comments.map(({ body }) => body?.split("\n")[1]?.slice(0, 30)) };
    }),
  );
}

test("the issue of a deleted test is closed once, with the reason", async () => {
  const carryOut = await open();
  expect(await carryOut()).toBe(2);
  expect(await carryOut()).toBe(0);
  yard.now += 31 * day;
  // Their quarantines end. Quarantined tests would not be deleted.
  await yard.newEvaluator().evaluateAll();
  while ((await yard.store.testEvaluations.forget(yard.now, 100)) > 0);
  // Each issue is handled twice, as if the first result had not been stored.
  expect(await carryOut(true)).toBe(2);
  const closed = { state: "closed", comments: ["The test has not run for a lon"] };
  expect(await listed()).toEqual([closed, closed]);
  expect(await carryOut()).toBe(0);
});

test("the issue of a renamed test stays open, and is closed when the test has recovered under its new name", async () => {
  const carryOut = await open();
  await yard.ran("T2", { turns: "P", slips: "P" });
  await yard.newEvaluator().evaluateAll();
  expect(await carryOut()).toBe(2);
  const ticket = (await yard.test("turns")).ticketUrl;
  await yard.ran("T3", { turn: "P", slips: "FP" });
  await yard.newEvaluator().evaluateAll();
  expect(await carryOut()).toBe(0);
  expect([ticket, (await yard.test("turn")).ticketUrl]).toEqual([expect.stringMatching(/issues/), ticket]);
  for (let run = 0; run < 300; run += 1) await yard.ran(`later ${run}`, { turn: "P", slips: "FP" });
  await yard.newEvaluator().evaluateAll();
  expect(await yard.statusOf("turn")).toBe("HEALTHY");
  await carryOut();
  expect((await listed()).map(({ state }) => state).toSorted()).toEqual(["closed", "open"]);
});

test("a repository with issues disabled is reported once for all of its tests, after some minutes", async () => {
  const carryOut = await open({ hasIssues: false });
  const refusal = async () => (await yard.store.testSettings.rules(yard.repositoryId)).issuesRefused;
  await carryOut();
  expect(await refusal()).toBeNull();
  for (let tries = 1; tries < 8; tries++) {
    yard.now += 60_000;
    await carryOut();
  }
  yard.now += 60_000;
  expect(await carryOut()).toBe(1);
  const issuesRefused = await refusal();
  expect(issuesRefused).toEqual({
    ...{ code: "ISSUES_DISABLED", at: yard.now },
    message: "Issues has been disabled in this repository.",
  });
});

test("no issue is opened where the App is not installed, and the reason is reported", async () => {
  const carryOut = await open({ installed: false });
  expect(await carryOut()).toBe(1);
  const { issuesRefused } = await yard.store.testSettings.rules(yard.repositoryId);
  expect(issuesRefused?.code).toBe("APP_NOT_INSTALLED");
});

test("an issue is retried when the code host is down, and dropped when issues are switched off in the meantime", async () => {
  const carryOut = await open();
  const { url } = sandbox;
  await sandbox.close();
  expect(await carryOut()).toBe(2);
  expect(await yard.store.testIssues.nextDue()).toBeGreaterThanOrEqual(yard.now + 1_000);
  sandbox = await startSandbox();
  expect(url).not.toBe(sandbox.url);
  await yard.store.testSettings.change(yard.repositoryId, { issues: false });
  yard.now += day;
  await carryOut();
  expect(await yard.store.testIssues.nextDue()).toBeNull();
});
