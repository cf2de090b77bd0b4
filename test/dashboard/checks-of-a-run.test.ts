import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { appClient } from "../sandbox/scene.ts";
import { deliver } from "../scenarios/deliver.ts";
import { eventually } from "../scenarios/eventually.ts";
import { at } from "../scenarios/github-users.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";

const minuteMs = 60_000;

let stage: Stage;
/** An App that reports the check `deploy`. */
let app: Octokit;

beforeAll(async () => {
  stage = await Stage.open({
    queue: { publicPage: true, requiredStatuses: ["build", "deploy"], policy: "fixed", batch: false },
    requiredChecks: null,
    environment: { TRAINYARD_DASHBOARD: "public", TRAINYARD_RECONCILE_MS: "200" },
  });
  const { data } = await appClient(stage.sandbox).rest.apps.getRepoInstallation(at);
  app = appClient(stage.sandbox, { installationId: data.id });
});
afterAll(() => stage.close());

/** Submits a pull request. Returns it with the commit that is tested. */
async function submit(name: string) {
  const pr = await stage.openPullRequest(name);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const head_sha = await eventually(async () => {
    const { data } = await app.rest.git.listMatchingRefs({ ...at, ref: `heads/trainyard-merge/pr-${pr}/` });
    return data[0]?.object.sha ?? null;
  }, "a commit under test");
  return { pr, head_sha };
}

async function read(pr: number): Promise<string> {
  const answer = await fetch(`${stage.pageUrl}/pulls/${pr}`);
  return textOf(await answer.text());
}

const untilShown = (pr: number, text: RegExp) =>
  eventually(async () => ((await read(pr)).match(text) ? true : null), `the page to show ${text}`);

const timeBefore = (ms: number) => new Date(Date.now() - ms).toISOString();

test("a check shows since when it runs, then how long it took", async () => {
  const { pr, head_sha } = await submit("times");
  const started_at = timeBefore(3 * minuteMs);
  const { data } = await app.rest.checks.create({ ...at, name: "deploy", head_sha, started_at });
  await untilShown(pr, /running deploy queued 3 min ago/);
  await app.rest.checks.update({ ...at, check_run_id: data.id, status: "in_progress" });
  await untilShown(pr, /running deploy for 3 min/);
  await app.rest.checks.update({
    ...{ ...at, check_run_id: data.id, status: "completed", conclusion: "success" },
    completed_at: new Date(Date.parse(started_at) + 125_000).toISOString(),
  });
  await stage.until(pr, "merged");
  const text = await read(pr);
  expect(text).toMatch(/passed deploy took 2 min 5 s, ended \d+ (s|min.*) after the push/);
  expect(text).toMatch(/passed build took \d+ s, ended \d+ s after the push/);
});

test.each([
  ["a webhook tells when a check began", timeBefore(5 * minuteMs), "for 5 min"],
  ["a webhook with a time that cannot be read still tells that a check began", "soon", ""],
])("%s", async (_name, started_at, shown) => {
  const { pr, head_sha } = await submit(`webhook-${shown.length}`);
  const check_run = {
    ...{ id: 1_000_000_000, name: "deploy", head_sha, status: "in_progress", conclusion: null },
    ...{ html_url: null, app: { id: 77 }, check_suite: { id: 1 }, started_at, completed_at: null },
  };
  await deliver(stage, "check_run", {
    action: "created",
    check_run,
    sender: { login: "ci", id: 1, type: "Bot" },
  });
  await untilShown(pr, new RegExp(`running deploy ${shown}`));
  await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
});

test("times that cannot be those of the check are not shown", async () => {
  const { pr, head_sha } = await submit("wrong-times");
  const check = { ...at, name: "deploy", head_sha, status: "completed", conclusion: "success" } as const;
  await app.rest.checks.create({ ...check, started_at: "0001-01-01T00:00:00Z" });
  await stage.until(pr, "merged");
  expect(await read(pr)).toMatch(/passed deploy ended \d+ s after the push/);
});
