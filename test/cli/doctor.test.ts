import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { defaultSettings } from "../../src/engine/model/settings.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { damagePages } from "../store/damage-pages.ts";
import { parseDocumented } from "./documented.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;
let sandbox: Sandbox;

const workflow = `on: { push: { branches: ["trainyard-merge/**"] } }\njobs: { build: {} }\n`;
const hook = "https://trainyard.example.org/api/github/webhooks";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-doctor-"));
  sandbox = await startSandbox();
  const bypass = [{ actor: sandbox.app.slug, mode: "exempt" as const }];
  const required_status_checks = [{ context: "build", integration_id: 15_368 }];
  await sandbox.createRepository({
    owner: "acme",
    name: "widgets",
    defaultBranch: "trunk",
    files: { "README.md": "# Widgets\n", ".github/workflows/ci.yml": workflow },
    rulesets: [{ rules: [{ type: "required_status_checks", required_status_checks }], bypass }],
  });
  sandbox.setWebhookUrl(hook);
});
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

function doctor(args: readonly string[], env: Record<string, string> = {}) {
  const settings = { ...sandbox.env, TRAINYARD_PUBLIC_URL: "https://trainyard.example.org", ...env };
  return new Trainyard(["doctor", ...args], settings, directory).finished;
}

test("trainyard doctor finds nothing wrong with the default branch, and exits with 0", async () => {
  const { code, out } = await doctor(["acme/widgets"]);
  expect(out).toBe("acme/widgets@trunk: nothing is wrong\n");
  expect(code).toBe(0);
});

test("trainyard doctor prints cause, evidence and fix of each error, and exits with 1", async () => {
  const { code, out } = await doctor(["acme/widgets@gone"]);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^acme\/widgets@gone\n\nErrors \(\d+\)\n\n {2}BRANCH_MISSING: .+\n {4}Cause: .+\n {4}Seen: {2}.+\n {4}Fix: {3}.+/,
  );
  expect(out).toMatch(/Not examined \(\d+\)/);
});

test("trainyard doctor prints findings as JSON", async () => {
  const { code, out } = await doctor(["acme/widgets", "--json"], {
    TRAINYARD_PUBLIC_URL: "https://elsewhere.example.org",
  });
  expect(code).toBe(0);
  expect(parseDocumented("doctor", out)).toEqual({
    formatVersion: 1,
    queue: "acme/widgets@trunk",
    findings: [
      {
        code: "WEBHOOK_ADDRESS_DIFFERS",
        severity: "warning",
        title: expect.any(String),
        cause: expect.any(String),
        evidence: `the App sends them to ${hook}; this service expects them at https://elsewhere.example.org/api/github/webhooks`,
        fix: { text: expect.any(String), url: expect.stringMatching(/\/settings\/apps\/trainyard$/) },
      },
    ],
    unexamined: [],
  });
});

test("trainyard doctor finds damaged pages of the database, and exits with 1", async () => {
  const path = join(directory, "damaged.db");
  await (await openStore(`sqlite:${path}`)).close();
  damagePages(path, 4);
  const { code, out } = await doctor(["acme/widgets"], { DATABASE_URL: `sqlite:${path}` });
  expect(out).toMatch(/DATABASE_DAMAGED: .+\n.+\n {4}Seen: {2}.+page \d+/);
  expect(code).toBe(1);
});

test("trainyard doctor applies the settings that the queue has in the database", async () => {
  const databaseUrl = `sqlite:${join(directory, "queues.db")}`;
  const store = await openStore(databaseUrl);
  const [queueId, branch] = ["queue", "trunk"];
  const repo = { host: sandbox.host, owner: "acme", name: "Widgets" };
  const settings = { ...defaultSettings, requiredStatuses: ["lint"] };
  const actor = { kind: "token", id: "t", name: "t" } as const;
  const data = {
    type: "queue_created",
    queueId,
    repo,
    branch,
    settings,
    baseSha: "a".repeat(40),
    actor,
  } as const;
  const creates = { id: queueId, repo, branch, installationId: 1, repositoryId: null, createdAt: 1 };
  const events = [{ seq: 1, at: 1, data }];
  await store.queues.commit({ queueId, events, entries: [], tasks: [], settles: [], creates });
  await store.close();
  const { out } = await doctor(["acme/widgets"], { DATABASE_URL: databaseUrl });
  expect(out).toMatch(/REQUIRED_CHECK_NOT_ON_PUSH.*\n.*\n.*lint: no workflow/);
});

test("trainyard doctor says what to do on a machine without the App's credentials, where nobody has signed in", async () => {
  const env = { XDG_CONFIG_HOME: directory };
  const { code, out, err } = await new Trainyard(["doctor", "acme/widgets"], env, directory).finished;
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/^APP_ID, .* run `trainyard login`, or set TRAINYARD_TOKEN\.\n$/);
});

test("trainyard doctor exits with 1 when GitHub is unreachable", async () => {
  const { code, out } = await doctor(["acme/widgets@trunk"], { GHE_HOST: "127.0.0.1:9" });
  expect(code).toBe(1);
  expect(out).toMatch(/Not examined/);
});

test.each([
  [[], /missing required argument 'owner\/name/],
  [["widgets"], /'widgets' is invalid.* It is not of the form OWNER\/NAME/],
  [["acme/widgets", "acme/gadgets"], /too many arguments/],
  [["acme/widgets", "--colour"], /unknown option '--colour'.*--help/],
])("trainyard doctor %j is rejected with the reason", async (args, problem) => {
  const { code, err, out } = await doctor(args);
  expect(code).toBe(2);
  expect(err).toMatch(problem);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(out).toBe("");
});
