import { tmpdir } from "node:os";
import { afterEach, expect, test } from "@jest/globals";
import { Trainyard } from "../cli/run-trainyard.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";
import { type RunningService, Stage } from "./stage.ts";

let stage: Stage;
let environment: Readonly<Record<string, string>> = {};
const started: Trainyard[] = [];

afterEach(async () => {
  await stage?.close();
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
});

test("on PostgreSQL, a comment gets a pull request tested and merged", async () => {
  stage = await Stage.open({ queue: {}, databaseUrl: await anotherDatabase() });
  const pr = await stage.openPullRequest("good");
  await stage.comment(pr, "/trainyard merge");
  const entry = await stage.until(pr, "merged");
  await stage.untilCommented(pr, /\*\*Merged\*\* into `main`/);
  await stage.untilChecked(entry.prSha, "success");
});

test("on PostgreSQL, a killed service is replaced by one that waited, which merges the rest", async () => {
  const databaseUrl = await anotherDatabase("template0");
  stage = await Stage.open({ queue: {}, databaseUrl, start: (variables) => serving(variables) });
  const early = await submit("a", "b");
  const second = start();
  await second.says(/the database is in use by another Trainyard service \(process \d+ on /);
  for (const pr of early) await stage.until(pr, "merged");
  const late = await submit("c", "d");
  started[0]?.child.kill("SIGKILL");
  stage.moveTo(await listening(second));
  for (const pr of late) await stage.until(pr, "merged");
});

test("tokens can be created and listed on PostgreSQL", async () => {
  const variables = { DATABASE_URL: await anotherDatabase("template0") };
  const create = ["token", "create", "--organisation", "acme", "--name", "CI", "--json"];
  const created = await new Trainyard(create, variables, tmpdir()).finished;
  expect(created).toMatchObject({ code: 0, err: "The token was written to the database PostgreSQL.\n" });
  const listed = await new Trainyard(["token", "list"], variables, tmpdir()).finished;
  expect(listed.out).toMatch(/acme\tCI\tread,submit\tvalid/);
});

async function submit(...names: string[]): Promise<number[]> {
  const prs: number[] = [];
  for (const name of names) prs.push(await stage.openPullRequest(name));
  for (const pr of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  return prs;
}

function serving(variables: Readonly<Record<string, string>>): Promise<RunningService> {
  environment = { ...variables, LOG_LEVEL: "info", TRAINYARD_RECONCILE_MS: "1000" };
  return listening(start());
}

function start(): Trainyard {
  const service = new Trainyard(["serve"], environment, tmpdir());
  started.push(service);
  return service;
}

/** Waits until a service is ready. */
async function listening(service: Trainyard): Promise<RunningService> {
  const [, url = ""] = await service.says(/"url":"(http:[^"]+)"/);
  return { url, close: async () => void (await service.end()) };
}
