import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { cloneRepository, withCredentials } from "./git-client.ts";

let sandbox: Sandbox;
let pull: string;
let token: string;

beforeEach(async () => {
  sandbox = await startSandbox();
  const alice = sandbox.createUser({ login: "alice", permission: "write" });
  sandbox.createUser({ login: "carol", permission: "read" });
  sandbox.createUser({ login: "mallory" });
  const { gitUrl } = await sandbox.createRepository({
    owner: "acme",
    name: "widgets",
    files: { "notes.txt": "Old notes.\n" },
    ci: { checks: ["build"], durationMs: [5, 10] },
  });
  const clone = await cloneRepository(withCredentials(gitUrl, "alice", alice.token));
  await clone.git("checkout", "-q", "-b", "mine");
  await clone.commit({ "notes.txt": "New <notes>.\n" }, "Take new notes");
  await clone.git("push", "-q", "origin", "mine");
  await clone.remove();
  token = alice.token;
  const opened = await api("POST", "pulls", { title: "Take <new> notes", head: "mine", base: "main" });
  pull = (opened as { html_url: string }).html_url;
  await sandbox.settled();
});
afterEach(() => sandbox.close());

async function api(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${sandbox.url}/api/v3/repos/acme/widgets/${path}`, {
    method,
    headers: { authorization: `token ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return response.json();
}

async function read(url: string): Promise<string> {
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toContain("text/html");
  return response.text();
}

async function formToken(): Promise<string> {
  return /name="token" value="([^"]+)"/.exec(await read(pull))?.[1] ?? "";
}

function send(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${pull}/comments`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

const comments = () =>
  api("GET", "issues/1/comments") as Promise<{ body: string; user: { login: string } }[]>;

test("the link of a pull request leads to a page with its title, state, comments, checks and files", async () => {
  await api("POST", "issues/1/comments", {
    body: "Looks **good**. <img src=x onerror=alert(1)> <!-- mark -->",
  });
  const page = await read(pull);
  expect(page).toContain("Take &#60;new&#62; notes");
  expect(page).toMatch(/class="state open">open/);
  expect(page).toContain("<strong>good</strong>");
  expect(page).not.toContain("<img");
  expect(page).not.toContain("mark");
  expect(page).toMatch(/class="state success">success[\s\S]*build/);
  expect(page).toContain("+New &#60;notes&#62;.");
  expect(page).toContain("-Old notes.");
});

test("a person comments on the page as one of the people of the sandbox", async () => {
  const sent = await send({ token: await formToken(), as: "carol", body: "/trainyard merge" });
  expect(sent.status).toBe(303);
  expect(sent.headers.get("location")).toMatch(/^\/acme\/widgets\/pull\/1#issuecomment-\d+$/);
  expect(await comments()).toEqual([
    expect.objectContaining({ body: "/trainyard merge", user: expect.objectContaining({ login: "carol" }) }),
  ]);
  expect(await read(`${pull}/conversation`)).toContain("<p>/trainyard merge</p>");
});

test("the page lists only people who can see the repository, the author first", async () => {
  const choices = [...(await read(pull)).matchAll(/<option value="(\w+)"/g)].map(([, login]) => login);
  expect(choices).toEqual(["alice", "carol"]);
});

test("a blank comment and a stranger's comment are refused on the page, which keeps the text", async () => {
  const blank = await send({ token: await formToken(), as: "alice", body: "  " });
  expect([blank.status, await blank.text()]).toEqual([422, expect.stringContaining("body cannot be blank")]);
  const stranger = await send({ token: await formToken(), as: "mallory", body: "Hello there" });
  expect(stranger.status).toBe(422);
  expect(await stranger.text()).toMatch(/mallory cannot comment here[\s\S]*Hello there<\/textarea>/);
  expect(await comments()).toEqual([]);
});

test("a form of another site cannot comment", async () => {
  const fields = { as: "alice", body: "/trainyard merge" };
  const own = { ...fields, token: await formToken() };
  const attempts = [
    await send(fields),
    await send({ ...fields, token: "0".repeat(48) }),
    await send(own, { origin: "https://evil.example" }),
    await send(own, { origin: "null" }),
    await send(own, { "sec-fetch-site": "cross-site" }),
  ];
  expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  expect(await comments()).toEqual([]);
  expect((await send(own, { origin: sandbox.url, "sec-fetch-site": "same-origin" })).status).toBe(303);
});

test("a page cannot run scripts or be framed, and is not served under the name of another site", async () => {
  const policy = (await fetch(pull)).headers.get("content-security-policy");
  expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
  expect(policy).not.toContain("unsafe");
  const { request } = await import("node:http");
  const status = await new Promise((resolve, reject) => {
    const rebound = request(pull, { headers: { host: "evil.example" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    rebound.on("error", reject).end();
  });
  expect(status).toBe(403);
});

test("the links of the page lead to the list, the commit and the check", async () => {
  expect(await read(`${sandbox.url}/acme/widgets`)).toMatch(
    /href="\/acme\/widgets\/pull\/1">Take &#60;new&#62; notes/,
  );
  const [, commit = ""] = /href="(\/acme\/widgets\/commit\/\w+)"/.exec(await read(pull)) ?? [];
  for (const path of [commit, `${commit}/checks`, commit.replace("/commit/", "/tree/")])
    expect(await read(`${sandbox.url}${path}`)).toMatch(/Take new notes[\s\S]*\+New &#60;notes&#62;\./);
  const [, check = ""] = /href="(\/acme\/widgets\/runs\/\d+)"/.exec(await read(pull)) ?? [];
  expect(await read(`${sandbox.url}${check}`)).toMatch(/build <span class="state success">/);
  expect((await fetch(`${sandbox.url}/acme/widgets/pull/99`)).status).toBe(404);
  expect(sandbox.violations).toEqual([]);
});
