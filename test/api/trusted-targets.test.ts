import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { Fork } from "../sandbox/fork.ts";
import { client, target } from "../sandbox/scene.ts";
import { eventually } from "../scenarios/eventually.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;
let asAlice: Octokit;
let carols: Fork;
let others: number;

beforeAll(async () => {
  // Every CI run lasts until the sandbox closes.
  api = await startApi({ ci: { durationMs: [600_000, 600_000] }, trustedProxies: ["loopback"] });
  const { sandbox } = api;
  asAlice = client(sandbox, sandbox.createUser({ login: "alice", permission: "write" }).token);
  carols = await Fork.of(
    sandbox,
    "carol",
    client(sandbox, sandbox.createUser({ login: "carol", permission: "read" }).token),
  );
  await api.post("createQueue", { ...api.queue, mode: "parallel", policy: "fixed", concurrency: 50 });
  const other = await openPull(asAlice, "other", { "other.txt": "1" });
  others = other.number;
  await upload(other, ["//a"]);
  await api.post("submitPullRequest", { ...api.queue, pr: { number: other.number } });
});
afterAll(() => api.close());

interface Pull {
  readonly number: number;
  readonly sha: string;
}

let forks = 0;
let pull: Pull & { run: number };
beforeEach(async () => {
  forks += 1;
  const opened = await carols.openPull(`feature-${forks}`);
  const { sha } = opened;
  const run = await eventually(async () => {
    const known = api.sandbox.workflowRuns("acme/widgets").find(({ headSha }) => headSha === sha);
    if (!known) return null;
    const { data } = await asAlice.rest.actions.getWorkflowRun({ ...target, run_id: known.id });
    return data.status === "in_progress" ? known.id : null;
  }, `a run of ${sha} to be in progress`);
  pull = { number: opened.pull.number, sha, run };
});

// A pull request that impacts everything would precede the next test's one.
afterEach(() => api.post("cancelPullRequest", { ...api.queue, pr: { number: pull.number } }));

type Impact = "ALL" | readonly string[];

async function upload({ number, sha }: Pull, impactedTargets: Impact, headers: Record<string, string> = {}) {
  const body = { ...api.queue, pr: { number, sha }, impactedTargets };
  const answer = await api.post("setImpactedTargets", body, headers);
  expect(answer.status).toBe(200);
  return answer.body;
}

const byToken = (impact: Impact) => upload(pull, impact);
const byFork = (impact: Impact) =>
  upload(pull, impact, {
    "x-api-token": "",
    "x-forked-workflow-run-id": String(pull.run),
    // The limits of uploads without a token apply to each address.
    "x-forwarded-for": `192.0.2.${forks}`,
  });

/** Whether its test run depends on the pull request that impacts `//a`. */
async function standsOnOther(): Promise<boolean> {
  const { body } = await api.post("getMergeQueueTestingDetails", api.queue);
  const runs = body.testRuns as { testedPullRequests: { prNumber: number }[]; dependentPrs: number[] }[];
  const run = runs.find(({ testedPullRequests }) =>
    testedPullRequests.some(({ prNumber }) => prNumber === pull.number),
  );
  if (!run) throw new Error(`no run of #${pull.number}`);
  return run.dependentPrs.includes(others);
}

const submit = () => api.post("submitPullRequest", { ...api.queue, pr: { number: pull.number } });

describe("a fork's upload without a token", () => {
  test.each<[what: string, impact: Impact, count: number | "ALL"]>([
    ["ALL", "ALL", "ALL"],
    ["a list", ["//a", "//b"], 3],
  ])(
    "only adds to targets that an API token uploaded for the same head (%s), and says so",
    async (_what, impact, count) => {
      await byToken(impact);
      const answer = await byFork(["//c"]);
      expect(answer).toMatchObject({ targetsCount: count, reason: "ADDED_TO_TRUSTED" });
      expect(answer.warnings).toEqual([expect.stringContaining("API token")]);
      await submit();
      expect(await standsOnOther()).toBe(true);
    },
  );

  test("of no targets keeps those that an API token uploaded, also while its tests run", async () => {
    await byToken(["//a"]);
    await submit();
    expect(await byFork([])).toMatchObject({ targetsCount: 1, reason: "ADDED_TO_TRUSTED" });
    expect(await standsOnOther()).toBe(true);
  });

  test("of ALL turns the targets of an API token into ALL", async () => {
    await byToken(["//b"]);
    expect(await byFork("ALL")).toMatchObject({ targetsCount: "ALL", reason: "ADDED_TO_TRUSTED" });
    await submit();
    expect(await standsOnOther()).toBe(true);
  });

  test("replaces earlier targets of the fork if no API token uploaded any", async () => {
    expect(await byFork(["//a"])).toEqual({ prNumber: pull.number, prSha: pull.sha, targetsCount: 1 });
    expect(await byFork(["//b"])).toEqual({ prNumber: pull.number, prSha: pull.sha, targetsCount: 1 });
    await submit();
    expect(await standsOnOther()).toBe(false);
  });
});

test("an API token's upload replaces targets that a fork uploaded or added", async () => {
  await byFork("ALL");
  expect(await byToken(["//b"])).toEqual({ prNumber: pull.number, prSha: pull.sha, targetsCount: 1 });
  await byFork(["//a"]);
  expect(await byToken(["//b"])).toEqual({ prNumber: pull.number, prSha: pull.sha, targetsCount: 1 });
  await submit();
  expect(await standsOnOther()).toBe(false);
});

test("the targets of an API token are kept when a fork uploads at the same time", async () => {
  await Promise.all([byFork([]), byToken(["//a"]), submit(), byFork([])]);
  expect(await standsOnOther()).toBe(true);
});
