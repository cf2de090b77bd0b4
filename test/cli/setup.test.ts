import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Trainyard } from "./run-trainyard.ts";

/** GitHub's conversion of a manifest's code into an App. */
class GitHub {
  readonly codes: string[] = [];
  readonly versions: unknown[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const [, code = ""] = /^\/api\/v3\/app-manifests\/([^/]+)\/conversions$/.exec(request.url ?? "") ?? [];
      this.codes.push(code);
      this.versions.push(request.headers["x-github-api-version"]);
      if (code === "expired") {
        response.writeHead(404, { "content-type": "application/json" });
        response.end(JSON.stringify({ message: "Not Found" }));
        return;
      }
      const made = { id: 7, client_id: "i", client_secret: "s", webhook_secret: "w", pem: "key" };
      response.writeHead(201, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...made, html_url: "https://github.example/apps/yard" }));
    });
  }

  static async start(): Promise<GitHub> {
    const github = new GitHub();
    await once(github.#server.listen(0, "127.0.0.1"), "listening");
    return github;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let directory: string;
let github: GitHub;
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
  github = await GitHub.start();
});
afterEach(async () => {
  process.umask(umask);
  service.child.kill("SIGKILL");
  github.close();
  await rm(directory, { recursive: true, force: true });
});

const get = (path: string, cookie = "") => fetch(url + path, { redirect: "manual", headers: { cookie } });

function importCredentials(cookie: string): Promise<Response> {
  return fetch(`${url}/probot/import`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ appId: "7", pem: "key", webhook_secret: "random" }),
  });
}

async function begin(): Promise<string> {
  const answer = await get(`/?token=${token}`);
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

/** The manifest that the page sends to GitHub. */
async function manifestOf(cookie: string, headers: Record<string, string> = {}) {
  const page = await (await fetch(`${url}/probot`, { headers: { cookie, ...headers } })).text();
  const [, value = "{}"] =
    /name="manifest"[^>]* value=(?:'([^']*)'|"([^"]*)")/.exec(page)?.filter(Boolean) ?? [];
  return JSON.parse(
    value
      .replaceAll("&#34;", '"')
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&")
      .replaceAll("&#39;", "'"),
  );
}

/** The state that the page sends to GitHub, and that GitHub sends back. */
async function stateOf(cookie: string): Promise<string> {
  const page = await (await get("/probot", cookie)).text();
  const [, state = ""] = /<form action="http:[^"?]+\/settings\/apps\/new\?state=([\w-]+)"/.exec(page) ?? [];
  return state;
}

const modeOf = async (file: string) => ((await stat(join(directory, file))).mode & 0o777).toString(8);

async function refusal(answer: Response): Promise<{ status: number; code: string }> {
  const [code = ""] = /[A-Z_]{8,}/.exec(await answer.text()) ?? [];
  return { status: answer.status, code };
}

describe("the App setup", () => {
  test("is open to one browser, because the token from the log works once and is not the session's cookie", async () => {
    await start();
    const cookie = await begin();
    expect(cookie).not.toContain(token);
    expect((await get("/probot", cookie)).status).toBe(200);
    for (const again of [await get(`/?token=${token}`), await get(`/?token=${token}`, cookie)])
      expect(await refusal(again)).toEqual({ status: 403, code: "SETUP_TOKEN_USED" });
    expect(await refusal(await get("/probot"))).toEqual({ status: 403, code: "SETUP_TOKEN_NEEDED" });
    expect(await refusal(await get("/probot", `trainyard_setup=${token}`))).toMatchObject({ status: 403 });
  });

  test("accepts an App only from the GitHub page that it opened, and only once", async () => {
    await start();
    const cookie = await begin();
    const state = await stateOf(cookie);
    expect(state).toMatch(/^[\w-]{32}$/);
    for (const foreign of ["", "&state=", "&state=guess", `&state=${state.slice(1)}`]) {
      expect(await refusal(await get(`/probot/setup?code=evil${foreign}`, cookie))).toEqual({
        status: 403,
        code: "SETUP_STATE_MISMATCH",
      });
    }
    expect(github.codes).toEqual([]);
    const done = await get(`/probot/setup?code=good&state=${state}`, cookie);
    expect(done.headers.get("location")).toBe("https://github.example/apps/yard/installations/new");
    expect(await readFile(join(directory, ".env"), "utf8")).toContain("APP_ID=7");
    expect(await modeOf(".env")).toBe("600");

    const over = { status: 403, code: "SETUP_DONE" };
    expect(await refusal(await get(`/probot/setup?code=more&state=${state}`, cookie))).toEqual(over);
    expect(await refusal(await get("/probot", cookie))).toEqual(over);
    expect(await refusal(await importCredentials(cookie))).toEqual(over);
    expect(github.codes).toEqual(["good"]);
  });

  test("sends the configured REST version when it requests the App's credentials", async () => {
    await start({ TRAINYARD_GITHUB_API_VERSION: "2026-03-10" });
    const cookie = await begin();
    const answer = await get(`/probot/setup?code=good&state=${await stateOf(cookie)}`, cookie);
    expect(answer.status).toBe(302);
    expect(github.versions).toEqual(["2026-03-10"]);
    expect(await readFile(join(directory, ".env"), "utf8")).toMatch(
      /APP_ID=7\nPRIVATE_KEY="key"\nWEBHOOK_SECRET=w/,
    );
  });

  test("says what to do when GitHub rejects the code, and stays open", async () => {
    await start();
    const cookie = await begin();
    const refused = await get(`/probot/setup?code=expired&state=${await stateOf(cookie)}`, cookie);
    expect(await refusal(refused)).toEqual({ status: 502, code: "SETUP_CODE_REFUSED" });
    expect((await get(`/probot/setup?code=good&state=${await stateOf(cookie)}`, cookie)).status).toBe(302);
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
        redirect_url: `${url}/probot/setup`,
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
      "https://yard.example:8443/probot/setup",
    );
    expect(await redirectOf({ "x-forwarded-proto": "https" })).toBe(`https${url.slice(4)}/probot/setup`);
    expect(await redirectOf({ "x-forwarded-host": "queue.example" })).toBe(
      "https://queue.example/probot/setup",
    );
    expect(await redirectOf({})).toBe(`${url}/probot/setup`);
    for (const odd of ['evil"', "a/b", "user@host", ""])
      expect(await redirectOf({ "x-forwarded-proto": "javascript", "x-forwarded-host": odd })).toBe(
        `${url}/probot/setup`,
      );
  });

  for (const [what, address, code] of [
    ["no address", "", "PUBLIC_URL_MISSING"],
    ["an address of this machine", "http://localhost:3000", "PUBLIC_URL_NOT_REACHABLE"],
    ["an address of a private network", "https://10.0.0.7", "PUBLIC_URL_NOT_REACHABLE"],
  ] as const) {
    test(`creates no App with ${what} as public address, and says what to set`, async () => {
      await start({ TRAINYARD_PUBLIC_URL: address, GHE_HOST: "" });
      const cookie = await begin();
      const answer = await get("/probot", cookie);
      const page = await answer.text();
      expect({ status: answer.status, form: page.includes("<form") }).toEqual({ status: 409, form: false });
      expect(page).toContain(code);
      expect(page).toMatch(/TRAINYARD_PUBLIC_URL/);
      expect(service.err).toContain(code);
      expect((await importCredentials(cookie)).status).toBe(200);
    });
  }

  test("gives each page a new state, and accepts only the latest", async () => {
    await start();
    const cookie = await begin();
    const [first, second] = [await stateOf(cookie), await stateOf(cookie)];
    expect(first).not.toBe(second);
    expect((await get(`/probot/setup?code=good&state=${first}`, cookie)).status).toBe(403);
  });

  test("accepts credentials entered by hand once, and confirms them", async () => {
    await start();
    const cookie = await begin();
    expect((await importCredentials(cookie)).status).toBe(200);
    expect(await modeOf(".env")).toBe("600");
    expect((await get("/probot/success", cookie)).status).toBe(200);
    expect(await refusal(await importCredentials(cookie))).toEqual({ status: 403, code: "SETUP_DONE" });
  });

  test("makes an existing settings file unreadable to other users", async () => {
    await writeFile(join(directory, ".env"), "TRAINYARD_PUBLIC_URL=https://queue.example\n");
    await chmod(join(directory, ".env"), 0o644);
    await start();
    expect((await importCredentials(await begin())).status).toBe(200);
    expect(await modeOf(".env")).toBe("600");
    expect(await readFile(join(directory, ".env"), "utf8")).toMatch(/queue\.example[\s\S]*APP_ID=7/);
  });

  test("does not need the service's default port", async () => {
    const taken = createServer();
    // If another process already uses the port, it is taken as well.
    taken.on("error", () => {}).listen(3_000, "127.0.0.1");
    await start();
    expect((await get("/probot", await begin())).status).toBe(200);
    taken.close();
  });

  test("forbids caching and framing of its pages", async () => {
    await start();
    const cookie = await begin();
    for (const answer of [await get("/probot"), await get("/probot", cookie)]) {
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }
  });
});
