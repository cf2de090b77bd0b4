import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { AppCreation } from "./app-creation.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;
let github: AppCreation;
let service: Trainyard;
let url: string;
let token: string;
let umask: number;

async function start(changes: Record<string, string> = {}): Promise<void> {
  const publicUrl = { TRAINYARD_PUBLIC_URL: "https://queue.example" };
  const env = { GHE_HOST: github.host, GHE_PROTOCOL: "http", ...publicUrl, ...changes };
  service = new Trainyard(["serve"], { PORT: "0", HOST: "127.0.0.1", ...env }, directory);
  [, url = "", token = ""] = await service.says(/open (http:\/\/[^/]+)\/\?token=([\w-]+)/);
}

beforeEach(async () => {
  umask = process.umask(0);
  directory = await mkdtemp(join(tmpdir(), "trainyard-setup-"));
  github = await AppCreation.start();
});
afterEach(async () => {
  process.umask(umask);
  service.child.kill("SIGKILL");
  github.close();
  await rm(directory, { recursive: true, force: true });
});

const get = (path: string, cookie = "") => fetch(url + path, { redirect: "manual", headers: { cookie } });

function enterApp(cookie: string, changes: Record<string, string> = {}): Promise<Response> {
  const entered = { id: "7", private_key: github.key, webhook_secret: "random", ...changes };
  const body = new URLSearchParams(entered);
  return fetch(`${url}/setup/existing`, { method: "POST", redirect: "manual", headers: { cookie }, body });
}

async function begin(): Promise<string> {
  const answer = await get(`/?token=${token}`);
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

const unescapeHtml = (text: string) =>
  text
    .replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))

    .replaceAll("&#34;", '"')
    .replaceAll("&quot;", '"')
    .replaceAll(/&amp;|&#38;/g, "&")
    .replaceAll("&#39;", "'");

/** The manifest that the page sends to GitHub. */
async function manifestOf(cookie: string, headers: Record<string, string> = {}) {
  const page = await (await fetch(`${url}/setup`, { headers: { cookie, ...headers } })).text();
  const [, value = "{}"] =
    /name="manifest"[^>]* value=(?:'([^']*)'|"([^"]*)")/.exec(page)?.filter(Boolean) ?? [];
  return JSON.parse(unescapeHtml(value));
}

/** The state that the page sends to GitHub, and that GitHub sends back. */
async function stateOf(cookie: string): Promise<string> {
  const page = await (await get("/setup", cookie)).text();
  const [, action = ""] = /<form action="([^"]+)"/.exec(page) ?? [];
  const state = new URL(unescapeHtml(action), url).searchParams.get("state") ?? "";
  return state;
}

const modeOf = async (file: string) => ((await stat(join(directory, file))).mode & 0o777).toString(8);
const saved = () => readFile(join(directory, ".env"), "utf8");

async function refusal(answer: Response): Promise<{ status: number; code: string }> {
  const [code = ""] = /SETUP_[A-Z_]+/.exec(await answer.text()) ?? [];
  return { status: answer.status, code };
}

describe("the App setup", () => {
  test("is open to one browser, because the token from the log works once and is not the session's cookie", async () => {
    await start();
    const cookie = await begin();
    expect(cookie).not.toContain(token);
    expect((await get("/setup", cookie)).status).toBe(200);
    for (const again of [await get(`/?token=${token}`), await get(`/?token=${token}`, cookie)])
      expect(await refusal(again)).toEqual({ status: 403, code: "SETUP_TOKEN_USED" });
    for (const path of ["/setup", "/setup/existing", "/setup/next", "/", "/no/such/page"])
      expect(await refusal(await get(path))).toEqual({ status: 403, code: "SETUP_TOKEN_NEEDED" });
    expect(await refusal(await enterApp(""))).toEqual({ status: 403, code: "SETUP_TOKEN_NEEDED" });
    expect(await refusal(await get("/setup", `trainyard_setup=${token}`))).toMatchObject({ status: 403 });
  });

  test("accepts an App only from the GitHub page that it opened, and only once", async () => {
    await start();
    const cookie = await begin();
    const state = await stateOf(cookie);
    expect(state).toMatch(/^[\w-]{32}$/);
    for (const foreign of ["", "&state=", "&state=guess", `&state=${state.slice(1)}`]) {
      expect(await refusal(await get(`/setup/created?code=evil${foreign}`, cookie))).toEqual({
        status: 403,
        code: "SETUP_STATE_MISMATCH",
      });
    }
    expect(github.codes).toEqual([]);
    const done = await get(`/setup/created?code=good&state=${state}`, cookie);
    expect(done.headers.get("location")).toBe("/setup/next?app=%2Fapps%2Fyard");
    expect(await saved()).toContain("APP_ID=7");
    expect(await modeOf(".env")).toBe("600");

    const over = { status: 403, code: "SETUP_DONE" };
    expect(await refusal(await get(`/setup/created?code=more&state=${state}`, cookie))).toEqual(over);
    expect(await refusal(await get("/setup", cookie))).toEqual(over);
    expect(await refusal(await enterApp(cookie))).toEqual(over);
    expect(github.codes).toEqual(["good"]);
  });

  test("sends the configured REST version when it requests the App's credentials", async () => {
    await start({ TRAINYARD_GITHUB_API_VERSION: "2026-03-10" });
    const cookie = await begin();
    const answer = await get(`/setup/created?code=good&state=${await stateOf(cookie)}`, cookie);
    expect(answer.status).toBe(303);
    expect(github.versions).toEqual(["2026-03-10"]);
  });

  test("saves what the next start needs, too: the public address and GitHub's host", async () => {
    await writeFile(join(directory, ".env"), "LOG_LEVEL=debug\nGHE_PROTOCOL=http");
    await start();
    const cookie = await begin();
    await get(`/setup/created?code=good&state=${await stateOf(cookie)}`, cookie);
    expect((await saved()).split("\n")).toEqual([
      "LOG_LEVEL=debug",
      "GHE_PROTOCOL=http",
      "APP_ID=7",
      `PRIVATE_KEY="${github.key.replaceAll("\n", "\\n")}"`,
      "WEBHOOK_SECRET=w",
      "GITHUB_CLIENT_ID=Iv1.0",
      "GITHUB_CLIENT_SECRET=s",
      "TRAINYARD_PUBLIC_URL=https://queue.example",
      `GHE_HOST=${github.host}`,
      "",
    ]);
  });

  test("says what to do when GitHub rejects the code, and stays open", async () => {
    await start();
    const cookie = await begin();
    const refused = await get(`/setup/created?code=expired&state=${await stateOf(cookie)}`, cookie);
    expect(await refusal(refused)).toEqual({ status: 502, code: "SETUP_CODE_REFUSED" });
    expect((await get(`/setup/created?code=good&state=${await stateOf(cookie)}`, cookie)).status).toBe(303);
  });

  for (const [where, text] of [
    ["without an app.yml", null],
    ["with an empty app.yml", ""],
    ["with a broken app.yml", "name: ["],
    ["with the app.yml of another App", "name: Other\npublic: true\ndefault_permissions: { issues: read }\n"],
  ] as const) {
    test(`creates the same private App with its permissions in a working directory ${where}`, async () => {
      if (text !== null) await writeFile(join(directory, "app.yml"), text);
      await start();
      expect(await manifestOf(await begin())).toMatchObject({
        name: "Trainyard",
        public: false,
        hook_attributes: { url: "https://queue.example/api/github/webhooks" },
        redirect_url: `${url}/setup/created`,
        callback_urls: ["https://queue.example/auth/github/callback"],
        setup_url: "https://queue.example/setup/next",
        default_permissions: { contents: "write", pull_requests: "write", checks: "write" },
        default_events: expect.arrayContaining(["pull_request_review"]),
      });
    });
  }

  test("redirects the browser to the host and protocol that the proxy reports", async () => {
    await start();
    const answer = await fetch(`${url}/?token=${token}`, {
      redirect: "manual",
      headers: { "x-forwarded-proto": "https, http", "x-forwarded-host": "yard.example:8443, inner" },
    });
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/; Secure/);
    const session = cookie.split(";")[0] ?? "";
    const redirectOf = async (headers: Record<string, string>) =>
      (await manifestOf(session, headers)).redirect_url;
    expect(await redirectOf({ "x-forwarded-proto": "https", "x-forwarded-host": "yard.example:8443" })).toBe(
      "https://yard.example:8443/setup/created",
    );
    expect(await redirectOf({ "x-forwarded-proto": "https" })).toBe(`https${url.slice(4)}/setup/created`);
    expect(await redirectOf({ "x-forwarded-host": "queue.example" })).toBe(
      "https://queue.example/setup/created",
    );
    expect(await redirectOf({})).toBe(`${url}/setup/created`);
    for (const odd of ['evil"', "a/b", "user@host", ""])
      expect(await redirectOf({ "x-forwarded-proto": "javascript", "x-forwarded-host": odd })).toBe(
        `${url}/setup/created`,
      );
  });

  for (const [what, address, code] of [
    ["no address", "", "PUBLIC_URL_MISSING"],
    ["an address of this machine", "http://localhost:3000", "PUBLIC_URL_NOT_REACHABLE"],
    ["an address of a private network", "https://10.0.0.7", "PUBLIC_URL_NOT_REACHABLE"],
  ] as const) {
    test(`does not start with ${what} as public address, and says what to set`, async () => {
      service = new Trainyard(["serve"], { PORT: "0", TRAINYARD_PUBLIC_URL: address }, directory);
      const { code: exit, out, err } = await service.finished;
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).toContain(`(${code})`);
      expect(err).toMatch(/Set TRAINYARD_PUBLIC_URL to the address/);
      expect(err.trim().split("\n")).toHaveLength(2);
    });
  }

  test("gives each page a new state, and accepts only the latest", async () => {
    await start();
    const cookie = await begin();
    const [first, second] = [await stateOf(cookie), await stateOf(cookie)];
    expect(first).not.toBe(second);
    expect((await get(`/setup/created?code=good&state=${first}`, cookie)).status).toBe(403);
  });

  test("creates the App for the organisation that was chosen, or that GH_ORG names", async () => {
    await start({ GH_ORG: "preset" });
    const cookie = await begin();
    const formOf = async (path: string) => {
      const page = await (await get(path, cookie)).text();
      const [, action = ""] = /<form action="([^"]+)"/.exec(page) ?? [];
      const address = url + unescapeHtml(action);
      const sent = await fetch(address, { method: "POST", redirect: "manual", headers: { cookie } });
      expect(sent.status).toBe(307);
      return sent.headers.get("location")?.replace(/\?state=[\w-]+$/, "");
    };
    const github_ = `http://${github.host}`;
    expect(await formOf("/setup")).toBe(`${github_}/organizations/preset/settings/apps/new`);
    expect(await formOf("/setup?organisation=acme")).toBe(`${github_}/organizations/acme/settings/apps/new`);
    expect(await formOf("/setup?organisation=")).toBe(`${github_}/settings/apps/new`);
    const odd = await (await get("/setup?organisation=a%2Fb%22%3E%3Cb%3E", cookie)).text();
    expect(odd).toContain("is not the name of an organisation");
    expect(odd).not.toContain("<b>");
  });

  test("accepts an App that exists once, after GitHub has confirmed its credentials", async () => {
    await start();
    const cookie = await begin();
    for (const [wrong, text] of [
      [{ id: "8" }, "knows no App with this ID and private key"],
      [{ id: "yard" }, "The App ID must be a number."],
      [{ private_key: "key" }, "PRIVATE_KEY is not a private key in PEM format"],
      [
        { private_key: "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----" },
        "is damaged or incomplete",
      ],
      [{ webhook_secret: "development" }, "WEBHOOK_SECRET is &#34;development&#34;"],
      [{ webhook_secret: "'\"\\" }, "contains characters that .env cannot hold"],
      [{ webhook_secret: "" }, "WEBHOOK_SECRET is missing"],
    ] as const) {
      const answer = await enterApp(cookie, wrong);
      expect({ status: answer.status, page: await answer.text() }).toEqual({
        status: 422,
        page: expect.stringContaining(text),
      });
    }
    const done = await enterApp(cookie);
    expect(done.headers.get("location")).toBe("/setup/next?app=%2Fapps%2Fyard");
    expect(await modeOf(".env")).toBe("600");
    expect((await get("/setup/next", cookie)).status).toBe(200);
    expect(await refusal(await enterApp(cookie))).toEqual({ status: 403, code: "SETUP_DONE" });
  });

  test("makes an existing settings file unreadable to other users", async () => {
    await writeFile(join(directory, ".env"), "TRAINYARD_PUBLIC_URL=https://queue.example\n");
    await chmod(join(directory, ".env"), 0o644);
    await start({ TRAINYARD_PUBLIC_URL: "" });
    expect((await enterApp(await begin())).status).toBe(303);
    expect(await modeOf(".env")).toBe("600");
    expect(await saved()).toMatch(/^TRAINYARD_PUBLIC_URL=https:\/\/queue\.example\nAPP_ID=7\n/);
  });

  test("forbids caching, framing and scripts in its pages, which name no other product", async () => {
    await start();
    const cookie = await begin();
    const paths = ["/setup", "/setup/existing", "/setup/next"];
    for (const answer of [
      await get("/setup"),
      ...(await Promise.all(paths.map((path) => get(path, cookie)))),
    ]) {
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const policy = answer.headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      const page = await answer.text();
      expect(page).not.toMatch(/probot|primer|<script/i);
    }
    const links = [...(await (await get("/setup", cookie)).text()).matchAll(/<link [^>]*href="([^"]+)"/g)];
    expect(links.map(([, path]) => path?.replace(/\?v=\w+$/, ""))).toEqual([
      "/assets/icon.svg",
      "/assets/style.css",
      "/assets/administration.css",
    ]);
    for (const [, path = ""] of links) expect((await get(path)).status).toBe(200);
  });
});
