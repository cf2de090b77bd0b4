import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { startProxy } from "../action/scripted-service.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { bareEnvironment, type Finished, main, Trainyard } from "./run-trainyard.ts";

const root = join(import.meta.dirname, "../..");
let stage: Stage;
let directory: string;

beforeAll(async () => {
  stage = await Stage.open({ queue: {} });
  directory = await mkdtemp(join(tmpdir(), "trainyard-cli-"));
  git("init", "--quiet");
  git("remote", "add", "origin", `${stage.sandbox.url}/acme/widgets.git`);
});
afterAll(async () => {
  await stage.close();
  await rm(directory, { recursive: true, force: true });
});

const git = (...args: string[]) => execFileSync("git", args, { cwd: directory });

/** Runs `trainyard` in a checkout of the repository. */
function trainyard(line: string, env: Record<string, string> = {}): Promise<Finished> {
  const connection = { TRAINYARD_URL: stage.url, TRAINYARD_TOKEN: stage.token, NO_COLOR: "1" };
  // Quoted words stay together, as in a shell.
  const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  return new Trainyard(args, { ...connection, ...env }, directory).finished;
}

test("an author submits a pull request, follows it until it has merged, and sees the proof", async () => {
  const pr = await stage.openPullRequest("one", undefined, { title: "Add one\u009b2J\u202e" });
  expect(await trainyard(`pr submit ${pr}`)).toMatchObject({ code: 0, err: "" });
  const waited = await trainyard(`pr wait ${pr} --timeout 2m`);
  expect(waited).toMatchObject({ code: 0 });
  expect(waited.out).toMatch(new RegExp(`#${pr} Add one 2J : merged\\n  as [0-9a-f]{40}, proof: [a-z ]+\\n`));
  const why = await trainyard(`pr why ${pr}`);
  expect(why.out).toMatch(new RegExp(`^#${pr} merged: merged as [0-9a-f]{7} \\(since [^)]+\\)\\n$`));
  const { out } = await trainyard(`pr status #${pr} --json`);
  expect(JSON.parse(out)).toMatchObject({ prNumber: pr, prTitle: "Add one\u009b2J\u202e", state: "merged" });
  expect(out.trim()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("a paused queue tells why, and the exit codes tell scripts the state of a pull request", async () => {
  const pr = await stage.openPullRequest("two");
  expect(await trainyard("queue pause")).toMatchObject({ code: 1, err: expect.stringContaining("--reason") });
  const paused = await trainyard('queue pause --reason "release of 2.0"');
  expect(paused).toMatchObject({ code: 0, out: "The queue of main is paused.\n" });
  await trainyard(`pr submit ${pr}`);
  git("checkout", "--quiet", "-b", "two");
  const why = await trainyard("pr why");
  expect(why.out).toContain("release of 2.0");
  expect((await trainyard("queue show")).out).toMatch(
    new RegExp(`paused.*release of 2.0[^]*#${pr} .*Add two`),
  );
  expect(await trainyard(`pr wait ${pr} --no-block`)).toMatchObject({ code: 3 });
  expect(await trainyard(`pr wait ${pr} --timeout 1s`)).toMatchObject({ code: 4 });
  expect(await trainyard("pr cancel")).toMatchObject({ code: 0 });
  expect(await trainyard(`pr wait ${pr}`)).toMatchObject({ code: 2 });
  expect((await trainyard("queue resume")).out).toBe("The queue of main is running.\n");
  expect((await trainyard("queue history --state cancelled")).out).toMatch(
    new RegExp(`^#${pr}  cancelled  .*Add two`),
  );
});

test("an operator changes settings by their names in the API", async () => {
  expect(await trainyard("queue set concurrency=3 mergeMethod=squash")).toMatchObject({
    ...{ code: 0, out: 'The queue of main is running.\n  concurrency: 3\n  mergeMethod: "squash"\n' },
  });
  expect(await stage.client.getQueue(stage.queue)).toMatchObject({ concurrency: 3, mergeMethod: "squash" });
  const refused = await trainyard("queue set concurency=3 --json");
  expect(refused).toMatchObject({ code: 1, out: "" });
  const detail = "Correct the request: concurency is unknown; did you mean concurrency?";
  expect(JSON.parse(refused.err)).toMatchObject({ code: "INVALID_BODY", detail });
});

test("an operator sees all queues, quarantines a flaky test, releases it, and reads who did it", async () => {
  const elsewhere = { repo: { ...stage.queue.repo, name: "gears" }, targetBranch: "main" };
  await stage.sandbox.createRepository({ owner: "acme", name: "gears", files: { "a.txt": "" } });
  await stage.client.createQueue({ ...elsewhere, state: "paused" });
  expect((await trainyard("queue list")).out).toMatch(
    /^acme\/widgets@main +running .*\nacme\/gears@main +paused /,
  );
  const ofGears = await trainyard(
    "queue list --repo ACME/gears --branch main".replace("ACME", `${stage.queue.repo.host}/ACME`),
  );
  expect(ofGears.out).toMatch(/^acme\/gears@main +paused [^\n]*\n$/);
  expect(JSON.parse((await trainyard("queue list --branch other --json")).out)).toMatchObject({ queues: [] });
  const none = { code: 0, out: "", err: "There are none.\n" };
  expect(await trainyard("queue list --branch other")).toMatchObject(none);
  expect(await trainyard("tests list")).toMatchObject(none);
  const pass = '<testsuite name="checkout"><testcase name="pays" time="90"/></testsuite>';
  const fail = pass.replace("/></testsuite>", '><failure message="declined"/></testcase></testsuite>');
  for (const [index, content] of [fail, pass].entries())
    await stage.client.uploadTestResults({
      ...{ repo: stage.queue.repo, head_sha: "c".repeat(40), tree_sha: "b".repeat(40), kind: "stable" },
      ...{
        branch: "main",
        run_id: "1",
        run_attempt: index + 1,
        workflow: "CI",
        job: "test",
      },
      ...{ step_failed: index === 0, reports: [{ path: "junit.xml", content }] },
    });
  const [id] = await eventually(async () => {
    const { out } = await trainyard("tests list");
    return /^\S+(?= {2}flaky {2}checkout {2}pays)/.exec(out);
  }, "the test to be known as flaky");
  const until = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const quarantine = await trainyard(`tests quarantine ${id} --reason "issue 7" --until ${until}`);
  expect(quarantine).toMatchObject({ code: 0, out: "Its failures are forgiven.\n", err: "" });
  const shown = await trainyard(`tests show ${id}`);
  expect(shown).toMatchObject({ code: 3, out: expect.stringContaining("1 times: declined") });
  expect(shown.out).toContain("Cost of 7 days: 1.5 min of tests outside the queue that ran again\n");
  expect((await trainyard("tests list --quarantined")).out).toContain(`${id}  flaky  checkout  pays`);
  expect(await trainyard(`tests release ${id} --reason fixed`)).toMatchObject({
    ...{ code: 0, out: "Its failures count again, unless it is flaky.\n" },
  });
  const { out } = await trainyard("audit list --action setQuarantine");
  expect(out).toMatch(/setQuarantine +done +acme\/widgets +.*because fixed\n.*because issue 7/);
  const gears = `--repo ${stage.queue.repo.host}/acme/gears`;
  expect((await trainyard(`audit list ${gears}`)).out).toMatch(
    /^\S+ +\S.* createQueue +done +acme\/gears [^\n]*\n$/,
  );
  expect(await trainyard(`audit list ${gears} --branch main`)).toMatchObject({
    code: 1,
    err: expect.stringContaining("unknown option '--branch'"),
  });
  expect(await trainyard("audit list --repo gears")).toMatchObject({
    code: 1,
    err: '"gears" is no repository. Name it with --repo OWNER/NAME.\n',
  });
});

test("without a branch that is checked out, one learns to name the pull request by its number", async () => {
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "--allow-empty", "-m", "one");
  git("checkout", "--quiet", "--detach");
  const err = "No branch is checked out here. Name the pull request by its number.\n";
  for (const verb of ["status", "wait", "cancel"])
    expect(await trainyard(`pr ${verb}`)).toMatchObject({ code: 1, out: "", err });
  git("checkout", "--quiet", "-b", "three");
});

test("without a terminal, a queue is deleted only with --yes, and without it one learns what would happen", async () => {
  await stage.sandbox.createRepository({ owner: "acme", name: "wheels", files: { "a.txt": "" } });
  const place = { repo: { ...stage.queue.repo, name: "wheels" }, targetBranch: "main" };
  await stage.client.createQueue({ ...place, state: "paused" });
  const line = `queue delete --repo ${place.repo.host}/acme/wheels`;
  const effect = "This deletes the queue of acme/wheels@main with its settings. No pull request is in it.";
  const err = `${effect} Nothing was changed: add --yes to do it; see --help\n`;
  expect(await trainyard(line)).toMatchObject({ code: 1, out: "", err });
  expect(await stage.client.getQueue(place)).toMatchObject({ state: "paused" });
  expect(JSON.parse((await trainyard(`${line} --yes --json`)).out)).toMatchObject({ deleted: true });
  // Nothing is left to do, so nobody is asked. The API answers the same.
  for (const again of [line, `${line} --yes`])
    expect(await trainyard(again)).toMatchObject({ code: 0, out: "main has no queue.\n", err: "" });
  expect(JSON.parse((await trainyard(`${line} --json`)).out)).toMatchObject({ deleted: false });
});

test("twelve tasks of authors and operators are one command each, whose JSON has the documented shape", async () => {
  const schema = JSON.parse(await readFile(join(root, "docs/reference/cli.schema.json"), "utf8"));
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  const openApi = await fetch(`${stage.url}/openapi.json`);
  ajv.addSchema((await openApi.json()) as object, "openapi.json");
  const [pr, other] = [await stage.openPullRequest("task"), await stage.openPullRequest("other-task")];
  const tasks = [
    ['queue pause --reason "release"', 0, { state: "paused" }],
    [`pr submit ${pr}`, 0, { prNumber: pr, state: "pending" }],
    [`pr priority ${pr} high`, 0, { prNumber: pr }],
    [`pr why ${pr}`, 0, { verdict: { nextAction: "wait", safeToRequeue: false } }],
    [`pr status ${pr}`, 0, { position: 1 }],
    [`pr try ${other}`, 0, {}],
    [`pr wait ${pr} --no-block`, 3, { state: "pending" }],
    ["queue show", 0, { enqueuedPullRequests: [expect.objectContaining({ prNumber: pr })] }],
    ["queue set concurrency=5", 0, { concurrency: 5 }],
    ["queue resume", 0, { state: "running" }],
    [`pr wait ${pr} --timeout 2m`, 0, { state: "merged" }],
    ["queue watch --until-empty", 0, { enqueuedPullRequests: [] }],
    ["audit list --action updateQueue --take 1", 0, { entries: [expect.anything()] }],
  ] as const;
  for (const [task, code, answer] of tasks) {
    const ended = await trainyard(`${task} --json`);
    expect([task, ended.code]).toEqual([task, code]);
    const { formatVersion, ...fields } = JSON.parse(ended.out.trim().split("\n").at(-1) ?? "");
    expect(fields).toMatchObject(answer);
    const [group, verb] = task.split(" ");
    const shape = schema.$defs[`${group} ${verb}`];
    expect(formatVersion).toBe(shape.properties.formatVersion.const);
    expect([task, ajv.validate({ $ref: shape["x-other-fields"] }, fields), ajv.errors]).toEqual([
      task,
      true,
      null,
    ]);
  }
});

test("the commands call a service elsewhere through the proxy of the environment, and one on this machine directly", async () => {
  const proxy = await startProxy(stage.url);
  const elsewhere = { TRAINYARD_URL: "http://trainyard.example:8080", HTTP_PROXY: proxy.url };
  try {
    expect(await trainyard("queue show", elsewhere)).toMatchObject({ code: 0, err: "" });
    const agent = new Client({ name: "agent", version: "1" });
    const env = { ...bareEnvironment(), ...elsewhere, TRAINYARD_TOKEN: stage.token };
    const args = [main, "mcp", "--repo", `${stage.queue.repo.host}/acme/widgets`];
    await agent.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: directory }));
    const found = await agent.callTool({ name: "get_queue", arguments: {} }).finally(() => agent.close());
    expect(found).not.toMatchObject({ isError: true });
    const login = new Trainyard(["login"], elsewhere, directory);
    await login.says(/Open this page, and sign in with GitHub/);
    await login.end();
    expect(new Set(proxy.asked)).toEqual(new Set(["trainyard.example:8080"]));
    expect(await trainyard("queue show", { ...elsewhere, NO_PROXY: ".example" })).toMatchObject({ code: 1 });
    const dead = { HTTP_PROXY: "http://127.0.0.1:9" };
    expect(await trainyard("queue show", dead)).toMatchObject({ code: 0, err: "" });
    expect(await trainyard("queue show", { ...elsewhere, ...dead })).toMatchObject({ code: 1, out: "" });
    const invalid = await trainyard("queue show --json", { HTTPS_PROXY: "socks5://127.0.0.1:1" });
    expect(JSON.parse(invalid.err)).toMatchObject({ detail: expect.stringContaining("HTTPS_PROXY must be") });
  } finally {
    await proxy.close();
  }
});

test("the token goes to no address that a checkout names", async () => {
  const received: unknown[] = [];
  const thief = createServer((request, response) => {
    received.push(request.headers["x-api-token"]);
    response.end();
  });
  await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
  const { port } = thief.address() as AddressInfo;
  const planted = `TRAINYARD_URL=http://127.0.0.1:${port}\nHOST=127.0.0.1\nPORT=${port}\n`;
  await writeFile(join(directory, ".env"), planted);
  await trainyard("pr status 1", { TRAINYARD_URL: "" });
  await rm(join(directory, ".env"));
  thief.close();
  expect(received).toEqual([]);
});

test.each([
  ["pr statsu 1", {}, /Did you mean status\?/],
  ["pr submit one", {}, /number of a pull request/],
  ["pr status 4711", {}, /4711/],
  ["pr status 1", { TRAINYARD_TOKEN: "" }, /TRAINYARD_TOKEN is not set/],
  ["pr status 1 --repo widgets", {}, /--repo OWNER\/NAME/],
  ["pr status 1", { TRAINYARD_URL: "http://127.0.0.1:9" }, /TRAINYARD_URL or --url names the service/],
  ["pr status 1", { TRAINYARD_URL: "localhost:3000" }, /TRAINYARD_URL.*https:\/\//],
  ["queue set concurrency", {}, /setting=value/],
])("says in one line what is wrong with: %s %j", async (line, env, problem) => {
  const { code, out, err } = await trainyard(line, env);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(problem);
  expect(err.trim().split("\n")).toHaveLength(1);
});
