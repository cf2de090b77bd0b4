import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type EndpointName, endpoints, pathOf } from "../../src/api/endpoints.ts";
import { createLog } from "../../src/cli/log.ts";
import { startServer } from "../../src/cli/start-server.ts";
import { createClient, type TrainyardClient } from "../../src/client/client.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { Fork } from "../sandbox/fork.ts";
import { deliver } from "../scenarios/deliver.ts";
import { eventually } from "../scenarios/eventually.ts";
import { MovedClock } from "../scenarios/moved-clock.ts";
import { Stage } from "../scenarios/stage.ts";
import { beginSignIn, confirm, signInCommandLine } from "./command-line.ts";
import { Browser } from "./signed-in-browser.ts";

const clock = new MovedClock();
/** At which the service's clock stands; null = it does not stand. */
let stoppedAt: number | null = null;
let stage: Stage;
let directory: string;
let log: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-command-line-"));
  log = join(directory, "log");
  stage = await Stage.open({
    queue: { requiredStatuses: ["never"] },
    requiredChecks: null,
    environment: { TRAINYARD_DASHBOARD: "token", TRAINYARD_RATE_LIMIT: "20" },
    start: async (variables) => {
      const parsed = parseSettings({ ...variables, LOG_LEVEL: "debug" });
      if ("issues" in parsed || !parsed.settings.app) throw new Error("the settings are no good");
      const { settings } = parsed;
      const file = await open(log, "a");
      const server = await startServer(settings, parsed.settings.app, createLog(settings, file.fd), {
        now: () => stoppedAt ?? clock.now(),
      });
      return { url: server.url, close: () => server.close().finally(() => file.close()) };
    },
  });
  stage.sandbox.createUser({ login: "mallory" });
});
afterAll(async () => {
  await stage.close();
  await rm(directory, { recursive: true, force: true });
});

const clientOf = (token: string): TrainyardClient => createClient({ baseUrl: stage.url, token });
const actAs = async (login: string) => clientOf(await signInCommandLine(stage, login));
const sessionOf = (secret: string) =>
  fetch(`${stage.url}/login/cli/session`, { headers: { authorization: `Bearer ${secret}` } });

test("a request is confirmed once, by a form of the page, and within ten minutes", async () => {
  const begun = await beginSignIn(stage, "<b>laptop");
  const browser = new Browser(stage);
  const page = await (await browser.signIn(begun.url, "alice")).text();
  expect(page).toContain("&#60;b&#62;laptop");
  expect(page).toContain(begun.code);
  expect((await sessionOf(begun.secret)).status).toBe(401);
  const request = new URL(begun.url).searchParams.get("request") ?? "";
  expect((await browser.post("/login/cli", { request })).status).toBe(403);
  expect((await confirm(browser, begun.url)).status).toBe(200);
  expect(await (await sessionOf(begun.secret)).json()).toMatchObject({ login: "alice" });

  const other = new Browser(stage);
  await other.signIn(stage.pageUrl, "bob");
  expect((await confirm(other, begun.url)).status).toBe(400);
  await fetch(`${stage.url}/login/cli/end`, {
    method: "POST",
    headers: { authorization: `Bearer ${begun.secret}` },
  });
  expect((await sessionOf(begun.secret)).status).toBe(401);
  expect((await confirm(other, begun.url)).status).toBe(400);

  const late = await beginSignIn(stage);
  const [digest, , ...rest] = (new URL(late.url).searchParams.get("request") ?? "").split(".");
  const extended = `${stage.url}/login/cli?request=${[digest, "zzzzzzzz", ...rest].join(".")}`;
  clock.pass(10 * 60_000);
  const answers = await Promise.all(
    [late.url, extended, `${stage.url}/login/cli?request=abc`].map(async (url) => {
      const { status } = await confirm(browser, url);
      return [status, (await browser.open(url)).status, await (await browser.open(url)).text()];
    }),
  );
  expect(new Set(answers.map(String)).size).toBe(1);
  expect(answers[0]).toEqual([400, 400, expect.stringContaining("This link is not valid")]);
  expect((await sessionOf(late.secret)).status).toBe(401);
});

test("somebody with an API token, or with nothing, is asked to sign in with GitHub and confirms nothing", async () => {
  const begun = await beginSignIn(stage);
  const browser = new Browser(stage);
  expect((await browser.open(begun.url)).status).toBe(401);
  await browser.signInWithToken(await stage.issueToken({ organisation: "acme", scopes: ["admin"] }));
  const page = await browser.open(begun.url);
  expect([page.status, await page.text()]).toEqual([401, expect.stringContaining("Sign in with GitHub")]);
  expect((await confirm(browser, begun.url)).status).toBe(400);
  expect((await sessionOf(begun.secret)).status).toBe(401);
});

test("no endpoint accepts a person by itself: these do, and all others ask for an API token", async () => {
  const secret = await signInCommandLine(stage, "admin");
  // Both accept a body without a repository, and have tests of their own.
  const accepting: string[] = ["listAuditLog", "listQueues"];
  for (const name of Object.keys(endpoints).filter((one) => !accepting.includes(one)) as EndpointName[]) {
    const headers = { "content-type": "application/json", "x-api-token": secret };
    const answer = await fetch(stage.url + pathOf(name), { method: "POST", headers, body: "{}" });
    const { code } = (await answer.json()) as { code: string };
    if (code === "INVALID_BODY") accepting.push(name);
    else expect([name, answer.status, code]).toEqual([name, 403, "API_TOKEN_NEEDED"]);
  }
  expect(accepting.toSorted()).toEqual([
    "cancelPullRequest",
    "cancelTry",
    "createQueue",
    "deleteQueue",
    "examineQueue",
    "explainPullRequest",
    "getMergeQueueTestingDetails",
    "getQueue",
    "getSubmittedPullRequest",
    "getSubmittedPullRequests",
    "getTestDetails",
    "listAuditLog",
    "listFailingTests",
    "listPullRequests",
    "listQuarantinedTests",
    "listQueues",
    "listUnhealthyTests",
    "restartTestsOnPullRequest",
    "setQuarantine",
    "submitPullRequest",
    "tryPullRequest",
    "updateQueue",
  ]);
  const metrics = await fetch(`${stage.url}/v1/getMergeQueueMetrics`, { headers: { "x-api-token": secret } });
  expect(metrics.status).toBe(403);
});

test("a stranger learns nothing about a repository, and leaves nothing in its audit log", async () => {
  const stranger = await actAs("mallory");
  const hidden = { status: 404, code: "QUEUE_NOT_FOUND" };
  const absent = { ...stage.queue, repo: { ...stage.queue.repo, name: "nothing" } };
  const texts = [];
  for (const queue of [stage.queue, absent]) {
    const refused = await stranger.getQueue(queue).catch((error) => error);
    expect(refused).toMatchObject(hidden);
    await expect(stranger.updateQueue({ ...queue, state: "paused" })).rejects.toMatchObject(hidden);
    await expect(stranger.submitPullRequest({ ...queue, pr: { number: 1 } })).rejects.toMatchObject(hidden);
    texts.push(refused.detail);
  }
  expect(texts[0]).toBe(texts[1]);
  const { entries } = await stage.client.listAuditLog({ actor: "mallory" });
  expect(entries).toEqual([]);
});

test("somebody creates the queue of their own repository, and a list has the queues of those that they may read", async () => {
  const [mallory, reader] = [await actAs("mallory"), await actAs("carol")];
  const place = { repo: { ...stage.queue.repo, owner: "mallory", name: "own" }, targetBranch: "main" };
  await stage.sandbox.createRepository({ owner: "mallory", name: "own", files: { "a.txt": "" } });
  const namesFor = async (client: TrainyardClient) => {
    const { queues, isComplete } = await client.listQueues({});
    return [isComplete, ...queues.map(({ repo }) => `${repo.owner}/${repo.name}`)];
  };
  expect(await namesFor(mallory)).toEqual([true]);
  await mallory.createQueue({ ...place, state: "paused" });
  expect(await namesFor(mallory)).toEqual([true, "mallory/own"]);
  expect(await namesFor(reader)).toContain("acme/widgets");
  expect(await namesFor(stage.client)).toEqual([true, "acme/widgets"]);
  expect(await mallory.deleteQueue(place)).toEqual({ deleted: true });
});

test("who administers a repository creates its first queue, reads its audit log and deletes the queue; nobody else does", async () => {
  const repo = { ...stage.queue.repo, name: "gears" };
  const place = { repo, targetBranch: "main" };
  await stage.sandbox.createRepository({ owner: "acme", name: "gears", files: { "a.txt": "" } });
  const [admin, writer, stranger] = [await actAs("admin"), await actAs("bob"), await actAs("mallory")];
  const tooLow = { status: 403, code: "PERMISSION_TOO_LOW" };
  const absent = { repo: { ...repo, name: "nothing" }, targetBranch: "main" };

  await expect(writer.createQueue(place)).rejects.toMatchObject(tooLow);
  const answers = [];
  for (const queue of [place, absent])
    answers.push(await stranger.createQueue(queue).catch((error) => error));
  expect(answers[0]).toMatchObject({ status: 404, code: "REPOSITORY_NOT_FOUND" });
  expect(answers[0].detail).toBe(answers[1].detail);
  await expect(admin.createQueue(absent)).rejects.toMatchObject({ code: "REPOSITORY_NOT_FOUND" });
  await expect(admin.createQueue({ ...place, targetBranch: "absent" })).rejects.toMatchObject({
    code: "BRANCH_NOT_FOUND",
  });
  expect(await admin.createQueue(place)).toMatchObject({ branch: "main" });
  await expect(admin.createQueue(place)).rejects.toMatchObject({ code: "QUEUE_EXISTS" });

  const { entries } = await admin.listAuditLog({ repo, action: "createQueue" });
  expect(entries.map(({ actor, code }) => [actor.kind, actor.name, code])).toEqual([
    ["user", "admin", "QUEUE_EXISTS"],
    ["user", "admin", null],
    ["user", "admin", "BRANCH_NOT_FOUND"],
    ["user", "bob", "PERMISSION_TOO_LOW"],
  ]);
  const originsOf = (list: typeof entries) =>
    new Set(list.flatMap(({ address, userAgent }) => [address, userAgent]));
  expect(originsOf(entries)).toEqual(new Set([null]));
  expect(originsOf((await stage.client.listAuditLog({ repo })).entries)).toContain("127.0.0.1");
  await expect(writer.listAuditLog({ repo })).rejects.toMatchObject(tooLow);
  await expect(stranger.listAuditLog({ repo })).rejects.toMatchObject({ code: "REPOSITORY_NOT_FOUND" });
  await expect(admin.listAuditLog({})).rejects.toMatchObject({
    status: 403,
    code: "API_TOKEN_NEEDED",
    detail: expect.stringContaining("--repo OWNER/NAME"),
  });

  await expect(writer.deleteQueue(place)).rejects.toMatchObject(tooLow);
  await expect(stranger.deleteQueue(place)).rejects.toMatchObject({ code: "REPOSITORY_NOT_FOUND" });
  expect(await admin.deleteQueue(place)).toEqual({ deleted: true });
  await admin.createQueue(place);
  await admin.deleteQueue(place);
});

test("a reader reads, a writer submits, and the audit log names them, whatever name they send", async () => {
  const [reader, writer] = [await actAs("carol"), await actAs("bob")];
  const number = await stage.openPullRequest("kept");
  await expect(reader.submitPullRequest({ ...stage.queue, pr: { number } })).rejects.toMatchObject({
    status: 403,
    code: "PERMISSION_TOO_LOW",
  });
  expect(await writer.submitPullRequest({ ...stage.queue, pr: { number } })).toMatchObject({
    isCurrentlySubmittedToQueue: true,
  });
  await expect(
    writer.submitPullRequest({ ...stage.queue, targetBranch: "mian", pr: { number } }),
  ).rejects.toMatchObject({ status: 404, code: "QUEUE_NOT_FOUND" });
  expect(await reader.getSubmittedPullRequest({ ...stage.queue, pr: { number } })).toMatchObject({
    prNumber: number,
  });
  // The sender may not choose another name.
  await writer.cancelPullRequest({
    ...stage.queue,
    pr: { number },
    actor: { login: "admin" },
    via: "comment",
  });
  const { entries } = await stage.client.listAuditLog({ actor: "bob", action: "cancelPullRequest" });
  expect(entries).toMatchObject([{ actor: { kind: "user", name: "bob" }, via: "api", outcome: "done" }]);
});

test("somebody who may only read fills no audit log, whatever they name", async () => {
  const reader = await actAs("carol");
  const refused = { status: 403, code: "PERMISSION_TOO_LOW" };
  const { owner, ...repo } = stage.queue.repo;
  for (let number = 1; number <= 4; number++) {
    const spelled = owner.slice(0, number).toUpperCase() + owner.slice(number);
    const respelled = { ...stage.queue, repo: { ...repo, owner: spelled } };
    await expect(reader.cancelPullRequest({ ...respelled, pr: { number } })).rejects.toMatchObject(refused);
    const targetBranch = `guessed-${number}`;
    const queue = { ...stage.queue, targetBranch };
    await expect(reader.updateQueue({ ...queue, state: "paused" })).rejects.toMatchObject(refused);
  }
  const { entries } = await stage.client.listAuditLog({ actor: "carol" });
  const recorded = entries.map(({ action }) => action).filter((action) => action !== "submitPullRequest");
  expect(recorded).toEqual(["updateQueue", "cancelPullRequest"]);
});

test("the repository file decides about people at the command line as about comments, and about requeues as about programs", async () => {
  const writer = await actAs("bob");
  const fork = await Fork.of(stage.sandbox, "carol", stage.octokit("carol"));
  const main = (await stage.branch("main")).commit.sha;
  const sha = await fork.commit(main, ".github/workflows/own.yml");
  const { pull } = await fork.openPull("topic", sha);
  await stage.sandbox.settled();
  const about = { ...stage.queue, pr: { number: pull.number } };
  await expect(writer.submitPullRequest({ ...about, pr: { ...about.pr, sha } })).rejects.toMatchObject({
    code: "FORK_CHANGES_WORKFLOWS",
  });
  const plain = await fork.openPull("plain", await fork.commit(main, "plain.txt"));
  await stage.sandbox.settled();
  const unnamed = { ...stage.queue, pr: { number: plain.pull.number } };
  await expect(writer.submitPullRequest(unnamed)).rejects.toMatchObject({ code: "FORK_NEEDS_SHA" });
  // So is a person whom a bot names without saying how the command was given.
  const bot = clientOf(await stage.issueToken({ organisation: "acme", scopes: ["submit", "bot"] }));
  await expect(
    bot.submitPullRequest({ ...unnamed, actor: { login: "bob", permission: "write" } }),
  ).rejects.toMatchObject({ code: "FORK_NEEDS_SHA" });

  await stage.pushToMain({ ".github/trainyard.yml": "permission: write\nrequeuesByBots: 0\n" });
  await stage.untilHandled();
  const number = await stage.openPullRequest("again");
  await writer.submitPullRequest({ ...stage.queue, pr: { number } });
  await writer.cancelPullRequest({ ...stage.queue, pr: { number } });
  await expect(writer.submitPullRequest({ ...stage.queue, pr: { number } })).rejects.toMatchObject({
    code: "REQUEUE_NEEDS_PERSON",
  });
  await stage.pushToMain({ ".github/trainyard.yml": "permission: admin\n" });
  await stage.untilHandled();
  await expect(writer.restartTestsOnPullRequest({ ...stage.queue, pr: { number } })).rejects.toMatchObject({
    code: "PERMISSION_TOO_LOW",
  });
});

test("the requests of one person are limited, and nobody else's", async () => {
  const [busy, other] = [await actAs("carol"), await actAs("bob")];
  stoppedAt = clock.now();
  const asked = await Promise.allSettled(Array.from({ length: 30 }, () => busy.getQueue(stage.queue)));
  const refused = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect(refused[0]).toMatchObject({
    status: 429,
    detail: expect.stringContaining("You or your organisation send more than 20"),
  });
  await other.getQueue(stage.queue);
  stoppedAt = null;
});

test("secrets of browsers and of command lines do not replace each other, and are in no log and no table", async () => {
  const begun = await beginSignIn(stage);
  const browser = new Browser(stage);
  await browser.signIn(begun.url, "alice");
  await confirm(browser, begun.url);
  await clientOf(begun.secret).getQueue(stage.queue);
  const asCookie = { headers: { cookie: `trainyard_session=${begun.secret}` } };
  expect((await fetch(stage.pageUrl, asCookie)).status).toBe(401);
  const [, id = ""] = /trainyard_session=([^;]+)/.exec(browser.cookies) ?? [];
  expect((await sessionOf(id)).status).toBe(401);
  await expect(clientOf(id).getQueue(stage.queue)).rejects.toMatchObject({ code: "TOKEN_NOT_VALID" });
  const logged = await readFile(log, "utf8");
  expect(logged).toContain("/login/cli/begin");
  expect(logged).not.toContain(begun.secret.slice(4));
  const database = new DatabaseSync(stage.databaseUrl.replace("sqlite:", ""), { readOnly: true });
  const rows = JSON.stringify(database.prepare("select * from dashboard_sessions").all());
  database.close();
  expect(rows).toContain("alice");
  expect(rows).not.toContain(begun.secret.slice(4));
});

test("a sign-in outlives the browser's, and ends after thirty days or when the App's authorization is withdrawn", async () => {
  const [bob, alice] = [await signInCommandLine(stage, "bob"), await signInCommandLine(stage, "alice")];
  const { data } = await stage.octokit("bob").rest.users.getAuthenticated();
  await deliver(stage, "github_app_authorization", { action: "revoked", sender: { id: data.id } });
  await eventually(async () => ((await sessionOf(bob)).status === 401 ? true : null), "the end");
  clock.pass(29 * 86_400_000);
  expect((await sessionOf(alice)).status).toBe(200);
  clock.pass(86_400_000);
  expect((await sessionOf(alice)).status).toBe(401);
  await expect(clientOf(alice).getQueue(stage.queue)).rejects.toMatchObject({
    status: 401,
    detail: expect.stringContaining("Run `trainyard login`"),
  });
});
