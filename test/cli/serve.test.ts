import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
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

  test("on a PostgreSQL database that is not there, without printing the password", async () => {
    const sandbox = await startSandbox();
    const { code, err } = await run(["serve"], {
      ...sandbox.env,
      DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/trainyard",
    });
    await sandbox.close();
    expect(code).not.toBe(0);
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
  test("offers Probot's setup only with the token from the log", async () => {
    const service = start({ TRAINYARD_PUBLIC_URL: "https://queue.example" });
    const [, url = "", token = ""] = await service.says(/open (http:\/\/[^/]+)\/\?token=([\w-]+)/);
    for (const path of ["/", "/probot", "/probot/setup?code=abc", "/probot/import", "/?token=guess"]) {
      expect((await fetch(url + path, { redirect: "manual" })).status).toBe(403);
    }
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await fetch(`${url}/probot/import`, post)).status).toBe(403);

    const signedIn = await fetch(`${url}/?token=${token}`, { redirect: "manual" });
    expect(signedIn.headers.get("location")).toBe("/probot");
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const page = await (await fetch(`${url}/probot`, { headers: { cookie } })).text();
    expect(page).toContain("https://queue.example/api/github/webhooks");
    expect(page).toContain("pull_request_review");

    const credentials = { appId: "7", pem: "key", webhook_secret: "random" };
    const imported = await fetch(`${url}/probot/import`, {
      ...post,
      body: JSON.stringify(credentials),
      headers: { ...post.headers, cookie },
    });
    expect(imported.status).toBe(200);
    expect(await readFile(join(directory, ".env"), "utf8")).toContain("APP_ID=7");
    expect((await service.end()).code).toBe(0);
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
