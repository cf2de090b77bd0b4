import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type Api, startApi } from "../api/api-harness.ts";

let api: Api;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-manifest-"));
});
afterEach(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

/** Writes a manifest without a permission that merging does not need. */
async function manifestWithoutIssues(): Promise<string> {
  const path = join(directory, "app.yml");
  await writeFile(path, (await readFile("app.yml", "utf8")).replace("  issues: write\n", ""));
  return path;
}

const warnings = () =>
  api.logged
    .map((line) => JSON.parse(line))
    .filter(({ code }) => code === "APP_PERMISSIONS_NOT_ACCEPTED")
    .map(({ msg, permissions }) => ({ msg, permissions }));

async function lookTwice(): Promise<void> {
  const [queue] = await api.service.directory.list();
  for (const _ of [1, 2]) await api.service.reach.check(queue?.id ?? "");
}

test("a permission that merging does not need and that was not accepted causes one warning", async () => {
  api = await startApi({ appManifest: await manifestWithoutIssues() });
  await api.post("createQueue", { ...api.queue, requiredStatuses: ["build"] });
  await lookTwice();
  expect(warnings()).toEqual([
    {
      permissions: ["issues: write"],
      msg: expect.stringMatching(/on acme lacks issues: write, .* Accept its new permissions at http/),
    },
  ]);
  api.sandbox.updateApp("app.yml");
  await lookTwice();
  expect(warnings()).toHaveLength(1);
});

test("an installation with every permission causes no warning", async () => {
  api = await startApi();
  await api.post("createQueue", { ...api.queue, requiredStatuses: ["build"] });
  await lookTwice();
  expect(warnings()).toEqual([]);
});

test("a personal account is not asked for a permission about an organisation", async () => {
  api = await startApi({ appManifest: "app.yml" });
  api.sandbox.createUser({ login: "olga" });
  await api.sandbox.createRepository({ owner: "olga", name: "widgets", ci: null });
  const repo = { ...api.queue.repo, owner: "olga" };
  const token = await api.createToken(["queue:admin"], { organisation: "olga" });
  const queue = { ...api.queue, repo, requiredStatuses: ["build"] };
  expect((await api.post("createQueue", queue, { "x-api-token": token })).status).toBe(200);
  await lookTwice();
  expect(warnings()).toEqual([]);
});
