import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { parseDocumented } from "./documented.ts";
import { Trainyard } from "./run-trainyard.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-webhook-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const key = { TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64") };

function webhook(args: string[], env: Record<string, string> = key) {
  return new Trainyard(["webhook", ...args], { DATABASE_URL: "sqlite:test.db", ...env }, directory).finished;
}

const acme = ["--organisation", "Acme"];
const at = ["--url", "https://hooks.example/1"];

test("a webhook can be created, listed without its secret, and deleted", async () => {
  const created = await webhook(["create", ...acme, ...at, "--events", "pull_request.*", "--json"]);
  const { secret, ...made } = parseDocumented("webhook create", created.out);
  expect(secret).toMatch(/^whsec_/);
  expect(made).toMatchObject({ organisation: "acme", events: ["pull_request.*"], enabled: true });
  const stored = await readFile(join(directory, "test.db"), "latin1");
  expect(stored).toContain("hooks.example");
  expect(stored).not.toContain(secret.slice(6));

  const listed = await webhook(["list"]);
  expect(listed.out).toBe(`${made.id}  acme  enabled  https://hooks.example/1  pull_request.*\n`);
  expect((await webhook(["list", "--organisation", "other"])).out).toBe("");
  const { out: json } = await webhook(["list", "--json"]);
  expect(parseDocumented("webhook list", json)).toMatchObject({ id: made.id });
  expect(json).not.toMatch(/secret|previous/);

  expect(await webhook(["delete", ...acme, made.id])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^This deletes the webhook to https:\/\/.* of acme.* add --yes to do it/),
  });
  expect((await webhook(["list"])).out).toContain(made.id);
  const { out } = await webhook(["delete", ...acme, made.id, "--yes", "--json"]);
  expect(parseDocumented("webhook delete", out)).toMatchObject({ deleted: true });
  expect((await webhook(["list"])).out).toBe("");
});

test("an absent webhook counts as deleted, as in the API, with and without --yes", async () => {
  await (await openStore(`sqlite:${join(directory, "test.db")}`)).close();
  for (const yes of [[], ["--yes"]])
    expect(await webhook(["delete", ...acme, "no-such-webhook", ...yes])).toMatchObject({
      ...{ code: 0, out: "Acme has no webhook no-such-webhook.\n", err: "" },
    });
  const { out } = await webhook(["delete", ...acme, "no-such-webhook", "--json"]);
  expect(parseDocumented("webhook delete", out)).toMatchObject({ deleted: false });
});

test("the audit log names the operator who created and deleted a webhook", async () => {
  const { out } = await webhook(["create", ...acme, ...at, "--json"]);
  const { id } = JSON.parse(out);
  await webhook(["delete", ...acme, "no-such-webhook"]);
  await webhook(["delete", ...acme, id, "--yes"]);
  const store = await openStore(`sqlite:${join(directory, "test.db")}`);
  const anything = { repo: null, action: null, actor: null, since: null, until: null, after: null };
  const entries = await store.audit.list({ organisation: "acme", ...anything, limit: 10 });
  await store.close();
  const by = { outcome: "done", actor: { kind: "operator", id: userInfo().username }, via: "cli" };
  const subject = { kind: "webhook", id };
  expect(entries).toMatchObject([
    { action: "deleteWebhook", subject, ...by },
    { action: "createWebhook", subject, ...by },
  ]);
});

test("a webhook is not created without an encryption key, or with an address that is not public", async () => {
  const keyless = await webhook(["create", ...acme, ...at], {});
  expect(keyless).toMatchObject({ code: 1, err: expect.stringContaining("TRAINYARD_ENCRYPTION_KEY") });
  const broken = await webhook(["create", ...acme, ...at], { TRAINYARD_ENCRYPTION_KEY: "short" });
  expect(broken).toMatchObject({ code: 1, err: expect.stringContaining("32 random bytes in base64") });
  const local = await webhook(["create", ...acme, "--url", "https://127.0.0.1/"]);
  expect(local).toMatchObject({ code: 1, err: expect.stringContaining("is not a public one") });
});

test.each([
  [["create", ...at], /--organisation.* not specified/],
  [["create", "--organisation", "", ...at], /must be an owner's login/],
  [["list", "--organisation", ""], /must be an owner's login/],
  [["create", ...acme], /--url.* not specified/],
  [["create", ...acme, ...at, "--events", "everything"], /"everything" is not an event/],
  [["delete", ...acme], /missing required argument 'id'/],
  [["destroy"], /unknown command 'destroy'/],
])("trainyard webhook %j is rejected with the reason", async (args, problem) => {
  const { code, err, out } = await webhook(args);
  expect(code).toBe(2);
  expect(err).toMatch(problem);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(out).toBe("");
});
