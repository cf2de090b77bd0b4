import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { confirm } from "../dashboard/command-line.ts";
import { textOf } from "../dashboard/page-text.ts";
import { Browser } from "../dashboard/signed-in-browser.ts";
import { Stage } from "../scenarios/stage.ts";
import { parseDocumented } from "./documented.ts";
import { bareEnvironment, type Finished, main, Trainyard } from "./run-trainyard.ts";

let stage: Stage;
let directory: string;

beforeAll(async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_DASHBOARD: "token" } });
  directory = await mkdtemp(join(tmpdir(), "trainyard-login-"));
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
  execFileSync("git", ["remote", "add", "origin", `${stage.sandbox.url}/acme/widgets.git`], {
    cwd: directory,
  });
});
afterAll(async () => {
  await stage.close();
  await rm(directory, { recursive: true, force: true });
});

/** What a command of somebody sees: their own settings, and no token. */
const environmentOf = (login: string) => ({
  ...{ TRAINYARD_URL: stage.url, NO_COLOR: "1" },
  XDG_CONFIG_HOME: join(directory, login),
});
const credentialsOf = (login: string) => join(directory, login, "trainyard", "credentials.json");

function trainyard(login: string, line: string, env: Record<string, string> = {}): Promise<Finished> {
  return new Trainyard(line.split(" "), { ...environmentOf(login), ...env }, directory).finished;
}

/** Signs in from a terminal, and confirms in a browser elsewhere. */
async function logIn(login: string): Promise<{ readonly browser: Browser; readonly ended: Finished }> {
  const command = new Trainyard(["login", "--json"], environmentOf(login), directory);
  const [, url = "", code = ""] = await command.says(/(http\S+\/login\/cli\S+)[\s\S]*code (\w{4}-\w{4})\./);
  const browser = new Browser(stage);
  const page = textOf(await (await browser.signIn(url, login)).text());
  expect(page).toContain(`act as ${login} until 20`);
  expect(page).toContain(code);
  expect(await (await confirm(browser, url)).text()).toContain("The command line is signed in");
  return { browser, ended: await command.finished };
}

test("an author signs in from a terminal without a browser, and their commands do what GitHub permits to them", async () => {
  const before = await trainyard("alice", "pr status 1");
  expect(before).toMatchObject({ code: 1, err: expect.stringContaining("Run `trainyard login`") });
  const { browser, ended } = await logIn("alice");
  expect(ended.code).toBe(0);
  expect(parseDocumented("login", ended.out)).toMatchObject({ service: stage.url, login: "alice" });
  expect((await stat(credentialsOf("alice"))).mode & 0o777).toBe(0o600);
  // The browser's session is another one.
  await browser.post("/logout", {});

  const pr = await stage.openPullRequest("one");
  expect(await trainyard("alice", `pr submit ${pr}`)).toMatchObject({ code: 0, err: "" });
  expect(await trainyard("alice", `pr status ${pr}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`#${pr} Add one: `),
  });
  const refused = await trainyard("alice", "queue pause --reason lunch --json");
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.err)).toMatchObject({
    code: "PERMISSION_TOO_LOW",
    detail: expect.stringContaining("needs the permission admin on acme/widgets, and alice has write there"),
  });
  expect(await trainyard("alice", "audit list")).toMatchObject({
    code: 1,
    err: expect.stringContaining("Name a repository that you administer"),
  });
  const { entries } = await stage.client.listAuditLog({ repo: stage.queue.repo, actor: "alice" });
  expect(entries.map(({ action, outcome, actor }) => [action, outcome, actor])).toEqual([
    ["updateQueue", "refused", { kind: "user", id: "alice", name: "alice" }],
    ["submitPullRequest", "done", { kind: "user", id: "alice", name: "alice" }],
  ]);

  const kept = JSON.parse(await readFile(credentialsOf("alice"), "utf8"));
  const { secret } = kept[stage.url];
  expect(await trainyard("alice", "logout")).toMatchObject({ code: 0, out: `Signed out at ${stage.url}.\n` });
  expect(await readFile(credentialsOf("alice"), "utf8")).toBe("{}\n");
  const stolen = await trainyard("alice", `pr status ${pr}`, { TRAINYARD_TOKEN: secret });
  expect(stolen).toMatchObject({ code: 1, err: expect.stringContaining("Run `trainyard login`") });
});

test("an administrator's command line and agent change the queue until GitHub takes the role away", async () => {
  stage.sandbox.createUser({ login: "olga", permission: "admin" });
  await logIn("olga");
  expect(await trainyard("olga", "queue pause --reason lunch")).toMatchObject({ code: 0 });
  expect(await trainyard("olga", "queue resume")).toMatchObject({ code: 0 });
  await stage.sandbox.createRepository({ owner: "acme", name: "gears", files: { "a.txt": "" } });
  const gears = `${stage.queue.repo.host}/acme/gears`;
  expect((await trainyard("olga", `queue create ${gears}@main`)).out).toMatch(
    /^The queue of acme\/gears@main/,
  );
  const examined = await trainyard("olga", "doctor acme/gears --json");
  expect([examined.code, JSON.parse(examined.out)]).toMatchObject([
    1,
    {
      formatVersion: 1,
      queue: "acme/gears@main",
      findings: expect.arrayContaining([expect.objectContaining({ code: "NO_REQUIRED_CHECKS" })]),
    },
  ]);
  expect((await trainyard("olga", "queue list")).out).toMatch(
    /^acme\/widgets@main .*\nacme\/gears@main .*\n$/,
  );
  expect((await trainyard("olga", `audit list --repo ${gears}`)).out).toMatch(/ olga +createQueue +done /);
  const ended = await trainyard("olga", `queue delete --yes --repo ${gears}`);
  expect(ended).toMatchObject({ code: 0, out: "The queue of main is deleted.\n" });
  // As after a lost answer.
  const again = await trainyard("olga", `queue delete --yes --repo ${gears}`);
  expect(again).toMatchObject({ code: 0, out: "main has no queue.\n" });
  const agent = new Client({ name: "agent", version: "1" });
  const args = ["--disable-warning=ExperimentalWarning", main, "mcp", "--allow-writes"];
  const env = { ...bareEnvironment(), ...environmentOf("olga") };
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: directory }));
  const setState = (state: string) =>
    agent.callTool({ name: "set_queue_state", arguments: { state, reason: "lunch" } });
  expect(await setState("paused")).not.toMatchObject({ isError: true });
  stage.sandbox.setPermission("olga", "write");
  expect(JSON.stringify(await setState("running"))).toContain("PERMISSION_TOO_LOW");
  await agent.close();
  expect(await trainyard("olga", "queue resume")).toMatchObject({
    code: 1,
    err: expect.stringContaining("olga has write there"),
  });
  expect(await stage.client.getQueue(stage.queue)).toMatchObject({ state: "paused" });
});

test.each(["null", '{"http://localhost": {"secret": 1}}'])(
  "a damaged file of sign-ins is named, with what to do: %s",
  async (text) => {
    await mkdir(join(directory, "damaged", "trainyard"), { recursive: true });
    await writeFile(credentialsOf("damaged"), text);
    const ended = await trainyard("damaged", "mcp --repo acme/widgets");
    const err = `${credentialsOf("damaged")} cannot be read. Remove it, then run \`trainyard login\` again.\n`;
    expect(ended).toMatchObject({ code: 1, out: "", err });
  },
);

test("what was received from one service is sent to no other one", async () => {
  const received: unknown[] = [];
  const other = createServer((request, response) => {
    received.push(request.headers["x-api-token"], request.headers.authorization);
    response.end();
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  await trainyard("olga", "queue show", { TRAINYARD_URL: `http://127.0.0.1:${port}` });
  other.close();
  expect(received).toEqual([undefined, undefined]);
  expect(await trainyard("olga", "queue show", { TRAINYARD_URL: `${stage.url}/v1/` })).toMatchObject({
    code: 0,
  });
});

test("a command line waits on while the service, or the proxy in front of it, is restarted", async () => {
  const statuses = [502, 503];
  const proxy = createServer(async ({ method = "", url = "", headers }, response) => {
    const restarting = url.endsWith("/session") ? statuses.shift() : undefined;
    if (restarting !== undefined) return void response.writeHead(restarting).end();
    const { authorization = "", "content-type": type = "text/plain" } = headers;
    const body = method === "POST" ? { body: "" } : {};
    const answer = await fetch(stage.url + url, {
      method,
      headers: { authorization, "content-type": type },
      ...body,
    });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const env = { ...environmentOf("carol"), TRAINYARD_URL: `http://127.0.0.1:${port}` };
  const command = new Trainyard(["login"], env, directory);
  const [, url = ""] = await command.says(/(http\S+\/login\/cli\S+)/);
  const browser = new Browser(stage);
  await browser.signIn(url, "carol");
  await confirm(browser, url);
  expect(await command.finished).toMatchObject({ code: 0 });
  expect(statuses).toEqual([]);
  proxy.close();
});

test("a service in which nobody can sign in with GitHub says what to do instead", async () => {
  await stage.stopService();
  await stage.startService({ GITHUB_CLIENT_ID: "", GITHUB_CLIENT_SECRET: "" });
  const kept = JSON.parse(await readFile(credentialsOf("olga"), "utf8"));
  // People who signed in before can still sign out.
  const left = await trainyard("olga", "logout --json");
  expect(left).toMatchObject({ code: 0, err: "" });
  expect(parseDocumented("logout", left.out)).toMatchObject({ service: stage.url, ended: true });
  const { secret } = kept[stage.url];
  expect(await trainyard("olga", "queue show", { TRAINYARD_TOKEN: secret })).toMatchObject({
    code: 1,
    err: expect.stringContaining("unknown or has ended"),
  });
  const ended = await trainyard("bob", "login");
  expect(ended).toMatchObject({ code: 1, out: "", err: expect.stringContaining("GITHUB_CLIENT_ID") });
  expect(ended.err.trim().split("\n")).toHaveLength(1);
});
