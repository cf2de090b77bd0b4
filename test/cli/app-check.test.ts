import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { Trainyard } from "./run-trainyard.ts";

const ownManifest = join(import.meta.dirname, "../../app.yml");

let directory: string;
let sandbox: Sandbox;
let service: Trainyard;
let url: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-app-"));
});
afterEach(async () => {
  service.child.kill("SIGKILL");
  await service.finished;
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

/** Creates a manifest from the package's own one. */
async function manifestWithout(pattern: RegExp): Promise<string> {
  const path = join(directory, "manifest.yml");
  const text = await readFile(ownManifest, "utf8");
  expect(text).toMatch(pattern);
  await writeFile(path, text.replace(pattern, ""));
  return path;
}

async function start(env: Record<string, string> = {}): Promise<void> {
  const common = { PORT: "0", HOST: "127.0.0.1", LOG_FORMAT: "json" };
  service = new Trainyard(["serve"], { ...sandbox.env, ...common, ...env }, directory);
  [, url = ""] = await service.says(/"url":"(http:\/\/127[^"]+)"/);
}

async function readiness(): Promise<{ status: number; code: string | null; detail: string }> {
  const answer = await fetch(`${url}/readyz`);
  const body = (await answer.json()) as { code?: string; detail?: string };
  return { status: answer.status, code: body.code ?? null, detail: body.detail ?? "" };
}

/** Polls until the response has this status, for at most two minutes. */
async function untilReadiness(wanted: { status: number; code: string | null }): Promise<string> {
  for (let tries = 0; ; tries++) {
    const { status, code, detail } = await readiness();
    if (status === wanted.status && code === wanted.code) return detail;
    if (tries > 1_200) expect({ status, code }).toEqual(wanted);
    await sleep(100);
  }
}

const ready = { status: 200, code: null };

describe("an App without a permission that merging needs", () => {
  test("makes the service not ready with instructions, until the permission is added", async () => {
    sandbox = await startSandbox({ appManifest: await manifestWithout(/^ {2}contents: write\n/m) });
    await start();
    const detail = await untilReadiness({ status: 503, code: "APP_PERMISSIONS_MISSING" });
    expect(detail).toContain("lacks contents: write");
    expect(detail).toContain(`/organizations/app-owner/settings/apps/${sandbox.app.slug}/permissions`);
    expect(detail).toContain('click "Save changes"');
    await service.says(/"level":50[^\n]*"code":"APP_PERMISSIONS_MISSING"/);
    sandbox.updateApp(ownManifest);
    await untilReadiness(ready);
    await service.says(/Trainyard is ready: the GitHub App has all permissions and events/);
  });
});

describe("an App without something that merging does not need is ready, and the log names the missing", () => {
  test("permission", async () => {
    sandbox = await startSandbox({ appManifest: await manifestWithout(/^ {2}issues: write\n/m) });
    await start();
    expect(await readiness()).toMatchObject(ready);
    await service.says(/"level":40[^\n]*"code":"APP_PERMISSIONS_INCOMPLETE"[^\n]*set issues: write/);
  });

  test("event", async () => {
    sandbox = await startSandbox({ appManifest: await manifestWithout(/^ {2}- push\n/m) });
    await start();
    expect(await readiness()).toMatchObject(ready);
    await service.says(/"level":40[^\n]*"code":"APP_EVENTS_MISSING"[^\n]*subscribe to push/);
  });
});

describe("the service is not ready when GitHub rejects its credentials", () => {
  test("because the key belongs to another App", async () => {
    sandbox = await startSandbox();
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await start({ PRIVATE_KEY: privateKey.export({ type: "pkcs1", format: "pem" }) as string });
    expect(await untilReadiness({ status: 503, code: "APP_CREDENTIALS_REFUSED" })).toMatch(
      /APP_ID.*PRIVATE_KEY/,
    );
    await service.says(/"level":50[^\n]*"code":"APP_CREDENTIALS_REFUSED"/);
  });
});

test("a damaged key keeps the service from starting, and is not printed", async () => {
  sandbox = await startSandbox();
  const damaged = "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----";
  await expect(start({ PRIVATE_KEY: damaged })).rejects.toThrow(/PRIVATE_KEY is damaged or incomplete/);
  expect(service.err).not.toContain("AAAA");
});

test("a single rejection of the credentials does not make the service unready", async () => {
  sandbox = await startSandbox();
  sandbox.faults.next({ operation: "apps/get-authenticated", kind: "unauthorized" });
  await start();
  await untilReadiness(ready);
  await service.says(/Trainyard is ready: the GitHub App has all permissions and events/);
  expect(service.err).not.toContain("APP_CREDENTIALS_REFUSED");
});

test("a service that starts during a GitHub outage is ready, and checks the App after the outage", async () => {
  sandbox = await startSandbox({ appManifest: await manifestWithout(/^ {2}contents: write\n/m) });
  sandbox.faults.outage(true);
  await start();
  await untilReadiness(ready);
  await service.says(/"code":"APP_NOT_READ"/);
  sandbox.faults.outage(false);
  await untilReadiness({ status: 503, code: "APP_PERMISSIONS_MISSING" });
});

test("a service whose App has all permissions is ready at once", async () => {
  sandbox = await startSandbox();
  await start();
  expect(await readiness()).toMatchObject(ready);
  expect((await service.end()).code).toBe(0);
});
