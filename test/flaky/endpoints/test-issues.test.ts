import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { testPath } from "../../../src/dashboard/paths.ts";
import { type Api, startApi } from "../../api/api-harness.ts";
import { commitOn, tipOf } from "../../sandbox/commit-on-branch.ts";
import { client, target } from "../../sandbox/scene.ts";
import { eventually } from "../../scenarios/eventually.ts";

let api: Api;
let alice: Octokit;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await api.close();
  expect(api.sandbox.violations).toEqual([]);
  for (const clean of cleanups.splice(0)) await clean();
});

async function open(settings: object, options: Parameters<typeof startApi>[0] = {}): Promise<void> {
  api = await startApi(options);
  await api.service.start();
  alice = client(api.sandbox, api.sandbox.createUser({ login: "alice", permission: "write" }).token);
  await api.post("updateTestSettings", { repo: api.queue.repo, ...settings });
}

let runs = 0;
/** Uploads a run of one job on main. For each test: whether it fails, passes, or fails and then passes. */
async function ran(outcomes: Record<string, "F" | "P" | "FP">, tree = runs): Promise<void> {
  runs += 1;
  const failure = '<failure message="password=hunter2 was refused at 10.0.0.7"/>';
  const cases = Object.entries(outcomes).flatMap(([name, letters]) =>
    [...letters].map(
      (letter) =>
        `<testcase file="src/${name.length}.test.ts" name="${name}">${letter === "F" ? failure : ""}</testcase>`,
    ),
  );
  const { status } = await api.post("uploadTestResults", {
    ...{ repo: api.queue.repo, head_sha: "a".repeat(40), tree_sha: String(tree).padStart(40, "0") },
    ...{ branch: "main", kind: "stable", run_id: String(runs), job: "test", step_failed: false },
    reports: [{ path: "a.xml", content: `<testsuite name="w">${cases.join("")}</testsuite>` }],
  });
  expect(status).toBe(200);
}

async function issues() {
  const { data } = await alice.rest.issues.listForRepo({ ...target, state: "all", per_page: 100 });
  return data.filter(({ pull_request }) => !pull_request).toReversed();
}

const untilIssues = (count: number, state = "open") =>
  eventually(async () => {
    const found = (await issues()).filter((issue) => issue.state === state);
    return found.length >= count ? found : null;
  }, `${count} issues that are ${state}`);

const commentsOn = async (issue_number: number) =>
  (await alice.rest.issues.listComments({ ...target, issue_number })).data.map(({ body }) => body ?? "");

const settings = async () => (await api.post("getTestSettings", { repo: api.queue.repo })).body;

/** Advances the clock, and uploads runs in which nothing fails. */
async function recover(...names: string[]): Promise<void> {
  api.elapse(3 * 3_600_000);
  for (let run = 0; run < 40; run++) await ran(Object.fromEntries(names.map((name) => [name, "P"])));
}

test("a flaky test has one issue with its owners and evidence, which is closed on recovery and reopened later", async () => {
  await open({ issues: true, issue_labels: ["flaky-test"], recovery_hours: 1, recovery_runs: 5 });
  const sha = await commitOn(alice, await tipOf(alice, "main"), {
    CODEOWNERS: "* @acme/widgets @octo_acme a@b.example\n",
  });
  await alice.rest.git.updateRef({ ...target, ref: "heads/main", sha });
  const name = "pays @bob, closes #1 `now` &lt;!-- x --&gt;";
  await ran({ [name]: "FP", spins: "P" });
  const [issue] = await untilIssues(1);
  if (!issue) throw new Error("there is none");
  expect(issue.title).toBe("Flaky test: pays @\u200bbob, closes #1 `now` <!-- x -->");
  expect(issue.labels).toEqual([expect.objectContaining({ name: "flaky-test" })]);
  const body = issue.body ?? "";
  const id = /^<!-- trainyard test ([0-9a-f-]{36}) -->\n/.exec(body)?.[1];
  expect(body).toContain("Passed and failed on the same tree");
  expect(body).toContain("- Test: `` pays @bob, closes #1 `now` <!-- x --> ``\n");
  expect(body).toContain("It failed in 1 of 1 run of the last seven days.");
  expect(body).toContain(`http://localhost:3000${testPath(api.queue.repo, id ?? "")}`);
  expect(body).toContain(`"test_case_id":"${id}","quarantine_setting":"ALWAYS_QUARANTINE"`);
  expect(body).not.toContain("hunter2");
  expect(body).not.toContain("10.0.0.7");
  // Outside of code, only the owners are mentioned.
  const prose = body.replace(/```.*?```|(`+)[^`].*?\1/gs, "");
  expect(prose.match(/@\S+/g)).toEqual(["@acme/widgets", "@octo_acme"]);
  const exported = await api.post("exportQuarantines", { repo: api.queue.repo });
  expect(exported.body.quarantines).toEqual([
    expect.objectContaining({ test_case_id: id, ticket_url: issue.html_url }),
  ]);

  await recover(name, "spins");
  await untilIssues(1, "closed");
  expect(await eventually(async () => (await commentsOn(issue.number))[0] ?? null, "a comment")).toContain(
    "The test has **recovered**",
  );
  await ran({ [name]: "FP" });
  await untilIssues(1);
  await eventually(async () => ((await commentsOn(issue.number)).length === 2 ? true : null), "a comment");
  expect((await commentsOn(issue.number))[1]).toContain("The test is **flaky**");
  expect(await issues()).toHaveLength(1);
});

test("no issue is opened while issues are off, and tests that are already unhealthy get theirs when issues are on", async () => {
  await open({});
  await ran({ turns: "FP" });
  await eventually(async () => {
    const { body } = await api.post("exportQuarantines", { repo: api.queue.repo });
    return (body.quarantines as unknown[]).length > 0 ? true : null;
  }, "the test to be quarantined");
  await ran({ turns: "FP", slips: "FP" });
  expect(await issues()).toEqual([]);
  await api.post("updateTestSettings", { repo: api.queue.repo, issues: true });
  await untilIssues(2);
  await api.post("updateTestSettings", { repo: api.queue.repo, issues: false });
  await ran({ slides: "FP" });
  await ran({ slides: "P" });
  expect(await issues()).toHaveLength(2);
});

test("without the permission for issues, the refusal is shown and retried after a day, and quarantines continue", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-issues-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const appManifest = join(directory, "app.yml");
  await writeFile(appManifest, (await readFile("app.yml", "utf8")).replace(/^ {2}issues: .*\n/m, ""));
  await open({ issues: true }, { appManifest });
  await ran({ turns: "FP" });
  const refused = await eventually(async () => {
    const { issues_refused: told } = await settings();
    if (told) return told;
    api.elapse(60_000);
    // After an update, issues that are due are written at once.
    await api.post("updateTestSettings", { repo: api.queue.repo, issues: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
    return null;
  }, "the refusal");
  expect(refused).toEqual({
    code: "PERMISSION_MISSING",
    message: "Resource not accessible by integration",
    at: expect.any(String),
  });
  const calls = () =>
    api.sandbox.requests.entries.filter(({ operationId }) => operationId === "issues/create").length;
  const before = calls();
  await ran({ turns: "FP", slips: "FP" });
  await eventually(async () => {
    const { body } = await api.post("exportQuarantines", { repo: api.queue.repo });
    return (body.quarantines as unknown[]).length === 2 ? true : null;
  }, "the next test to be quarantined all the same");
  expect(calls()).toBe(before);
  expect(api.logged.filter((line) => line.includes('"code":"PERMISSION_MISSING"'))).toHaveLength(1);
  api.elapse(24 * 3_600_000);
  await ran({ turns: "FP" });
  await eventually(async () => (calls() > before ? true : null), "another try");
  expect(await issues()).toEqual([]);
});

test("a moment in which GitHub denies or does not find issues loses no issue, and opens no second one", async () => {
  await open({ issues: true, recovery_hours: 1, recovery_runs: 5 });
  api.sandbox.faults.next({ operation: "issues/create", kind: "forbidden" });
  await ran({ turns: "FP" });
  await untilIssues(1);
  expect((await settings()).issues_refused).toBeNull();
  api.sandbox.faults.next({ operation: "issues/update", kind: "not_found", count: 2 });
  await recover("turns");
  await untilIssues(1, "closed");
  api.sandbox.faults.next({ operation: "issues/update", kind: "not_found" });
  await ran({ turns: "FP" });
  await untilIssues(1);
  expect(await issues()).toHaveLength(1);
});

test("at most ten issues are opened in an hour, and the rest later", async () => {
  await open({ issues: true });
  const names = Array.from({ length: 12 }, (_, at) => `test-${at}`);
  const all = Object.fromEntries(names.map((name) => [name, "F" as const]));
  for (let run = 0; run < 3; run++) await ran(all);
  const first = await untilIssues(10);
  expect(first.map(({ title }) => title)).toEqual(names.slice(0, 10).map((name) => `Broken test: ${name}`));
  await ran(all);
  api.elapse(30 * 60_000);
  await ran(all);
  expect(await issues()).toHaveLength(10);
  api.elapse(31 * 60_000);
  await ran(all);
  expect(await untilIssues(12)).toHaveLength(12);
});

test("an issue that a person closed stays closed while the status of its test does not change", async () => {
  await open({ issues: true });
  await ran({ turns: "FP" });
  const [issue] = await untilIssues(1);
  await alice.rest.issues.update({ ...target, issue_number: issue?.number ?? 0, state: "closed" });
  await ran({ turns: "FP" });
  await ran({ slips: "FP" });
  expect((await untilIssues(1)).map(({ title }) => title)).toEqual(["Flaky test: slips"]);
  expect((await issues()).map(({ state }) => state)).toEqual(["closed", "open"]);
});
