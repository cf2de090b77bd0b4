import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { AppCreation } from "./app-creation.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;
const started: Trainyard[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-cli-"));
});
afterEach(async () => {
  for (const service of started.splice(0)) service.child.kill("SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

describe("trainyard serve refuses to start", () => {
  test("without a webhook secret, and says what to set", async () => {
    const { code, err } = await run(["serve"], { APP_ID: "1", PRIVATE_KEY: "x" });
    expect(code).toBe(1);
    expect(err).toMatch(/WEBHOOK_SECRET is missing/);
    expect(err).toMatch(/PRIVATE_KEY is not a private key/);
  });

  test('with the webhook secret "development"', async () => {
    const { code, err } = await run(["serve"], {
      APP_ID: "1",
      PRIVATE_KEY: "x",
      WEBHOOK_SECRET: "development",
    });
    expect(code).toBe(1);
    expect(err).toMatch(/WEBHOOK_SECRET is "development", which everybody knows/);
  });

  test("in production without credentials, instead of offering the setup to any visitor", async () => {
    const { code, err } = await run(["serve"], { NODE_ENV: "production" });
    expect(code).toBe(1);
    expect(err).toMatch(/APP_ID is missing/);
  });

  test.each([
    ["in a place where no file can be created", "file/trainyard.db", /cannot be locked/],
    ["that is a directory", "directory", /cannot be used as a database \(unable to open database file\)/],
  ])("on a SQLite database %s, in one line", async (_which, path, problem) => {
    await writeFile(join(directory, "file"), "");
    await mkdir(join(directory, "directory"));
    const sandbox = await startSandbox();
    const DATABASE_URL = `sqlite:${join(directory, path)}`;
    const { code, err } = await run(["serve"], { ...sandbox.env, DATABASE_URL });
    await sandbox.close();
    expect(code).toBe(1);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toMatch(/DATABASE_UNUSABLE.*check DATABASE_URL/);
    expect(err).toMatch(problem);
  });

  test("on a PostgreSQL database that is not there, without printing the password", async () => {
    const sandbox = await startSandbox();
    const { code, err } = await run(["serve"], {
      ...sandbox.env,
      DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/trainyard",
      TRAINYARD_DATABASE_WAIT_MS: "0",
    });
    await sandbox.close();
    expect(code).toBe(1);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toMatch(/the PostgreSQL database cannot be used: .*ECONNREFUSED.*; check DATABASE_URL/);
    expect(err).not.toContain("hunter2");
  });
});

describe("trainyard serve with credentials", () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await startSandbox();
  });
  afterEach(() => sandbox.close());

  test("is ready, rejects a request without a token, and exits cleanly when it is stopped", async () => {
    const service = start(sandbox.env);
    const [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/`)).status).toBe(401);
    const { code, err } = await service.end();
    expect(code).toBe(0);
    expect(err).not.toContain(sandbox.app.webhookSecret);
    expect(err).not.toContain("PRIVATE KEY");
  });
});

describe("trainyard serve without credentials", () => {
  test("goes on with the credentials that the set-up saves, at the same address and without a restart", async () => {
    const github = await AppCreation.start();
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    // An empty variable counts as not set.
    const empty = { APP_ID: "", PRIVATE_KEY: "", WEBHOOK_SECRET: "" };
    const env = {
      GHE_HOST: github.host,
      GHE_PROTOCOL: "http",
      TRAINYARD_PUBLIC_URL: "https://queue.example",
    };
    try {
      const service = start({ ...env, ...empty, PORT: port });
      const [, token = ""] = await service.says(/open http:\/\/[^/]+\/\?token=([\w-]+)/);
      expect(service.err).toContain(`https://queue.example/?token=${token}`);
      const began = await fetch(`${url}/?token=${token}`, { redirect: "manual" });
      const cookie = began.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const page = await (await fetch(`${url}/setup`, { headers: { cookie } })).text();
      expect(page).toContain("https://queue.example/api/github/webhooks");
      const [, state = ""] = /\?state(?:=|&#61;)([\w-]+)/.exec(page) ?? [];
      const created = await fetch(`${url}/setup/created?code=good&state=${state}`, { headers: { cookie } });
      expect(created.url).toBe(`${url}/setup/next?app=%2Fapps%2Fyard`);
      const next = await created.text();
      expect(next).toContain(`http://${github.host}/apps/yard/installations/new`);
      expect(next).toContain("queue create OWNER/NAME@BRANCH");
      expect(next).toContain("/trainyard merge");
      await service.says(/Trainyard is listening/);
      // The browser may reload the page, and GitHub sends it back here after an installation.
      const installed = await fetch(`${created.url}&installation_id=1&setup_action=install`);
      expect(await installed.text()).toContain("The App is installed.");
      expect((await fetch(`${url}/setup`)).status).toBe(404);
      expect((await service.end()).code).toBe(0);

      const again = start({ ...empty, PORT: port });
      await again.says(/Trainyard is listening/);
      expect((await again.end()).code).toBe(0);
    } finally {
      github.close();
    }
  });

  test("links only to GitHub from the page with the next steps", async () => {
    const sandbox = await startSandbox();
    const service = start(sandbox.env);
    try {
      const [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
      for (const app of ["//evil.example/apps/x", "/apps/../x", "/apps/x/y", "javascript:1", "/apps/x%22"]) {
        const page = await (await fetch(`${url}/setup/next?app=${app}`)).text();
        const links = [...page.matchAll(/<main[\s\S]*?href="([^"]+)"/g)].map(([, link]) => link);
        expect(links).toEqual([`http://${sandbox.host}/settings/apps`]);
      }
      await service.end();
    } finally {
      await sandbox.close();
    }
  });
});

function start(env: Record<string, string>): Trainyard {
  const service = new Trainyard(
    ["serve"],
    { PORT: "0", HOST: "127.0.0.1", LOG_FORMAT: "json", ...env },
    directory,
  );
  started.push(service);
  return service;
}

function run(args: string[], env: Record<string, string>) {
  return new Trainyard(args, env, directory).finished;
}
