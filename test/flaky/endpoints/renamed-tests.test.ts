import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Api, startApi } from "../../api/api-harness.ts";
import { eventually } from "../../scenarios/eventually.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
  await api.service.start();
});
afterAll(() => api.close());

const failure = '<failure message="timeout of 5000 ms"/>';
const others = ["spins", "stops"];

let runs = 0;
const shaOf = (text: string) => createHash("sha1").update(text).digest("hex");

/** Uploads a run of a job's tests. The tests of each job are in a separate file. */
async function upload(job: string, names: readonly string[], failing: readonly string[], more: object) {
  runs += 1;
  const cases = names.map(
    (name) =>
      `<testcase file="${job}.test.ts" name="${name}">${failing.includes(name) ? failure : ""}</testcase>`,
  );
  const sha = shaOf(`run ${runs}`);
  const { status, body } = await api.post("uploadTestResults", {
    ...{ repo: api.queue.repo, head_sha: sha, tree_sha: sha, run_id: `run-${runs}`, job },
    ...{ branch: "main", kind: "stable", base_branch: "main", step_failed: failing.length > 0 },
    reports: [{ path: "junit.xml", content: `<testsuite name="suite">${cases.join("")}</testsuite>` }],
    ...more,
  });
  expect(status).toBe(200);
  return body;
}

const onTree = (tree: string) => ({
  ...{ kind: "stable", branch: "main", tree_sha: shaOf(tree) },
});
const pullRequest = { kind: "pr", pr: { number: 7 }, branch: "change" };
const address = () => ({ repo: api.queue.repo, org_url_slug: "acme" });

interface Listed {
  readonly name: string;
  readonly test_case_id: string;
}

async function quarantined(): Promise<readonly Listed[]> {
  const { body } = await api.post("listQuarantinedTests", { ...address(), page_query: { page_size: 100 } });
  return body.quarantined_tests as Listed[];
}

async function detailsOf(id: string) {
  const { body } = await api.post("getTestDetails", { ...address(), test_id: id });
  return body.test as Record<string, unknown>;
}

const quarantinedAs = (name: string) =>
  eventually(
    async () => (await quarantined()).find((one) => one.name === name) ?? null,
    `${name} to be quarantined`,
  );

/** Runs a test on main, and shows in the queue that it is flaky. Returns its id. */
async function showFlaky(job: string, name: string): Promise<string> {
  await upload(job, [name, ...others], [], {});
  await upload(job, [name, ...others], [name], onTree(job));
  await upload(job, [name, ...others], [], onTree(job));
  return (await quarantinedAs(name)).test_case_id;
}

/** Waits until everything that was uploaded so far is evaluated. */
async function evaluated(): Promise<void> {
  await showFlaky(`witness-${runs}`, `witness ${runs}`);
}

const heldOf = (answer: Record<string, unknown>) =>
  (answer.quarantined as { name: string; quarantine_expires_at: string }[]).map(
    ({ name, quarantine_expires_at }) => ({ name, until: quarantine_expires_at }),
  );

test("a quarantined test that is renamed on main is quarantined under its new name until the same time", async () => {
  const [before, after] = ["pays by card", "pays by credit card"];
  const id = await showFlaky("renamed", before);
  const ticket = "https://tickets.example/7";
  await api.post("linkTicketToTestCase", {
    ...{ repo: api.queue.repo, test_case_id: id, external_ticket_id: ticket },
  });
  const [held] = heldOf(await upload("renamed", [before, ...others], [before], pullRequest));
  await upload("renamed", [after, ...others], [], {});

  const renamed = (await quarantinedAs(after)).test_case_id;
  expect(await detailsOf(renamed)).toMatchObject({
    ...{ name: after, renamed_from: before, quarantined: true, ticket: { html_url: ticket } },
    status: { value: "flaky", code: "FLIPPED_ON_ONE_TREE" },
    // It has five runs with two failures; four of the runs were under the earlier name.
    failure_rate_last_7d: 2 / 5,
    most_common_failures: [{ occurrence_count: 2 }],
  });
  expect(await detailsOf(id)).toMatchObject({ quarantined: false, status: { value: "healthy" } });
  expect((await detailsOf(id)).ticket).toBeUndefined();

  const answer = await upload("renamed", [after, ...others], [after], {});
  expect(answer).toMatchObject({ verdict: "quarantined", failed: [] });
  expect(heldOf(answer)).toEqual([{ name: after, until: held?.until }]);
  // A pull request may not contain the rename yet.
  const old = await upload("renamed", [before, ...others], [before], pullRequest);
  expect(heldOf(old)).toEqual([{ name: before, until: held?.until }]);
});

test("a test whose name has another number is another test", async () => {
  const [before, after] = ["retries 2 times", "retries 3 times"];
  await showFlaky("numbers", before);
  await upload("numbers", [after, ...others], [], {});
  await evaluated();
  expect(await upload("numbers", [after, ...others], [after], {})).toMatchObject({ verdict: "failed" });
  const names = (await quarantined()).map(({ name }) => name);
  expect([names.includes(before), names.includes(after)]).toEqual([true, false]);
});

test("a test that is renamed only in a pull request or in the queue is another test", async () => {
  const [before, after] = ["ships the order", "ships the whole order"];
  await showFlaky("in a pull request", before);
  await upload("in a pull request", [after, ...others], [], pullRequest);
  const queue = { kind: "queue", branch: "trainyard-merge/pr-1/1", tree_sha: shaOf("a") };
  await upload("in a pull request", [after, ...others], [], queue);
  await evaluated();
  expect(await upload("in a pull request", [after, ...others], [after], pullRequest)).toMatchObject({
    verdict: "failed",
  });
  await upload("in a pull request", [after, ...others], [], {});
  await quarantinedAs(after);
});

test("a test that keeps its earlier name on another stable branch is quarantined under both names", async () => {
  const [before, after] = ["packs the box", "packs the whole box"];
  const id = await showFlaky("on two lines", before);
  const release = { branch: "release", base_branch: "release" };
  await upload("on two lines", [before, ...others], [], release);
  await upload("on two lines", [after, ...others], [], {});
  const renamed = await quarantinedAs(after);
  expect(await detailsOf(renamed.test_case_id)).toMatchObject({ renamed_from: before });
  expect(await detailsOf(id)).toMatchObject({ quarantined: true, status: { value: "flaky" } });
});

test("a quarantine set by a person also applies to the test's new name, unless that has its own setting", async () => {
  const job = "set by people";
  const set = async (id: string, setting: string, more: object = {}) =>
    api.post("setQuarantine", {
      ...{ repo: api.queue.repo, test_case_id: id, quarantine_setting: setting, reason: "known", ...more },
    });
  const failedIn = async (names: readonly string[], more: object) => {
    const { failed } = await upload(job, names, names, more);
    return (failed as { id: string }[]).map(({ id }) => id);
  };
  const [first = "", second = ""] = await failedIn(["prints a bill", "mails a letter"], {});
  await upload(job, ["prints a bill", "mails a letter"], [], {});
  const until = { expires_at: new Date(Date.now() + 3_600_000).toISOString(), owner: "@alice" };
  await set(first, "ALWAYS_QUARANTINE", until);
  await set(second, "ALWAYS_QUARANTINE", until);
  const after = ["prints a whole bill", "mails a whole letter"];
  const [, mails = ""] = await failedIn(after, pullRequest);
  await set(mails, "NEVER_QUARANTINE");
  await upload(job, after, [], {});
  await quarantinedAs("prints a whole bill");
  const answer = await upload(job, after, after, {});
  expect(answer.failed).toEqual([expect.objectContaining({ name: "mails a whole letter" })]);
  expect(answer.quarantined).toEqual([
    expect.objectContaining({
      ...{ name: "prints a whole bill", quarantine_owner: "@alice", quarantine_reason: "known" },
      quarantine_expires_at: until.expires_at,
    }),
  ]);
});

test("a test that another job still reports under its earlier name is not renamed", async () => {
  const [before, after] = ["sorts the list", "sorts the whole list"];
  await showFlaky("in two jobs", before);
  const nightly = { job: "nightly" };
  await upload("in two jobs", [before, ...others], [], nightly);
  await upload("in two jobs", [after, ...others], [], {});
  await evaluated();
  expect((await quarantined()).map(({ name }) => name)).not.toContain(after);
});
