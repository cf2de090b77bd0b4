import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Answer, type Api, startApi } from "../../api/api-harness.ts";
import { Fork } from "../../sandbox/fork.ts";
import { client, target } from "../../sandbox/scene.ts";
import { eventually } from "../../scenarios/eventually.ts";

let api: Api;
/** A pull request of carol's fork while its workflow runs. */
let pull: { readonly number: number; readonly sha: string; readonly run: number };
const tree = "7".repeat(40);

beforeAll(async () => {
  api = await startApi({ ci: { durationMs: [600_000, 600_000] }, trustedProxies: ["loopback"] });
  await api.post("createQueue", api.queue);
  const { sandbox } = api;
  const asCarol = client(sandbox, sandbox.createUser({ login: "carol", permission: "read" }).token);
  const asAlice = client(sandbox, sandbox.createUser({ login: "alice", permission: "write" }).token);
  const { sha, pull: opened } = await (await Fork.of(sandbox, "carol", asCarol)).openPull("feature");
  const run = await eventually(async () => {
    const known = sandbox.workflowRuns("acme/widgets").find(({ headSha }) => headSha === sha);
    if (!known) return null;
    const { data } = await asAlice.rest.actions.getWorkflowRun({ ...target, run_id: known.id });
    return data.status === "in_progress" ? known.id : null;
  }, "carol's run to be in progress");
  pull = { number: opened.number, sha, run };
  const { body } = await trusted({ reports: [junit({ blinks: "F", turns: "P" })], step_failed: true });
  const [blinks] = body.failed as { id: string }[];
  const held = await api.post("setQuarantine", {
    ...{ repo: api.queue.repo, test_case_id: blinks?.id, quarantine_setting: "ALWAYS_QUARANTINE" },
    ...{ reason: "known", owner: "@acme/secret" },
  });
  expect(held.status).toBe(200);
});
afterAll(() => api.close());

/** The limits apply to each minute, so each test sends from an address of its own. */
let senders = 0;
beforeEach(() => {
  senders += 1;
});

function junit(outcomes: Record<string, "P" | "F">): object {
  const cases = Object.entries(outcomes).map(
    ([name, letter]) =>
      `<testcase name="${name}">${letter === "F" ? '<failure message="expected 2, got 3"/>' : ""}</testcase>`,
  );
  return { path: "junit.xml", content: `<testsuite name="s">${cases.join("")}</testsuite>` };
}

let runs = 0;
const body = (more: object) => ({
  ...{ repo: api.queue.repo, head_sha: pull.sha, tree_sha: tree, branch: "feature", kind: "pr" },
  ...{ pr: { number: pull.number }, run_id: String(++runs), job: "test", step_failed: true },
  ...more,
});

const fromFork = (more: object, headers: Record<string, string> = {}): Promise<Answer> =>
  api.post("uploadTestResults", body(more), {
    "x-api-token": "",
    "x-forked-workflow-run-id": String(pull.run),
    "x-forwarded-for": `192.0.2.${senders}`,
    ...headers,
  });
const trusted = (more: object): Promise<Answer> => api.post("uploadTestResults", body(more));

const codeOf = ({ status, body: { code } }: Answer) => ({ status, code });

describe("test results that a fork uploads without a token", () => {
  test("are not worth repeating after other shards, because none of a fork is stored", async () => {
    const before = { kind: "stable", branch: "main", pr: undefined, run_id: "shards", step_failed: false };
    await trusted({ ...before, job: "moves (1)", reports: [junit({ spins: "P", turns: "P" })] });
    await trusted({ ...before, job: "moves (2)", reports: [junit({ stops: "P", flies: "P" })] });
    const moved = { job: "moves (1)", reports: [junit({ spins: "P", stops: "P", blinks: "F" })] };
    const { body: judged } = await fromFork(moved);
    expect(judged).toMatchObject({ upload_id: "", verdict: "unknown", code: "TESTS_MISSING" });
    expect(judged).not.toHaveProperty("awaited_shards");
    expect((await trusted(moved)).body).toHaveProperty("awaited_shards", 1);
  });

  test("are judged by the active quarantines, without the reason or owner of those", async () => {
    const answer = await fromFork({ reports: [junit({ blinks: "F", turns: "P" })] });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...{ upload_id: "", is_new: false, verdict: "quarantined", code: "ALL_QUARANTINED" },
        tests: { passed: 1, failed: 1, skipped: 0 },
        quarantined: [{ name: "blinks", quarantine_owner: null, quarantine_reason: "", ticket_url: null }],
      },
    });
    const counting = await fromFork({ reports: [junit({ blinks: "F", turns: "F" })] });
    expect(counting.body).toMatchObject({ verdict: "failed", failed: [{ name: "turns" }] });
    expect((await fromFork({ reports: [] })).body).toMatchObject({ verdict: "unknown", code: "NO_REPORT" });
    const doubtful = await fromFork({ reports: [junit({ blinks: "F" })], kind: "unknown" });
    expect(doubtful.body).toMatchObject({ verdict: "failed", quarantined_count: 0 });
    const { body: log } = await api.post("listAuditLog", { actor: String(pull.run), take: 1 });
    expect(log.entries).toMatchObject([
      { action: "uploadTestResults", outcome: "done", actor: { kind: "fork_run" }, prNumber: pull.number },
    ]);
  });

  test("make no test known, flaky or failing", async () => {
    await api.service.start();
    for (const letter of ["F", "P", "F", "P"] as const)
      expect((await fromFork({ reports: [junit({ turns: letter, invented: "F" })] })).status).toBe(200);
    // Later results are evaluated after them, so the witness shows that the evaluation has passed them.
    const onMain = { kind: "stable", branch: "main" };
    await trusted({ ...onMain, reports: [junit({ witness: "F" })] });
    await trusted({ ...onMain, reports: [junit({ witness: "P" })], step_failed: false });
    const about = { repo: api.queue.repo, org_url_slug: "acme" };
    const page = { ...about, page_query: { page_size: 100 } };
    const listed = async (endpoint: string, field: string, more: object = {}) => {
      const answer = await api.post(endpoint, { ...page, ...more });
      return (answer.body[field] as { name: string }[]).map(({ name }) => name);
    };
    await eventually(
      async () => (await listed("listUnhealthyTests", "unhealthy_tests")).includes("witness") || null,
      "the witness to be flaky",
    );
    expect(await listed("listUnhealthyTests", "unhealthy_tests")).toEqual(["witness"]);
    const span = {
      start: new Date(Date.now() - 3_600_000).toISOString(),
      end: new Date(Date.now() + 3_600_000).toISOString(),
    };
    expect((await listed("listFailingTests", "failing_tests", span)).toSorted()).toEqual([
      "blinks",
      "witness",
    ]);
  });

  test("are accepted only for the pull request and the head SHA of the run", async () => {
    const reports = [junit({ turns: "P" })];
    const refused = { status: 401, code: "FORK_RUN_NOT_ACCEPTED" };
    const known = await fromFork({ reports, head_sha: "f".repeat(40) });
    expect(codeOf(known)).toEqual(refused);
    const { body: log } = await api.post("listAuditLog", { actor: String(pull.run), take: 1 });
    expect(log.entries).toMatchObject([{ action: "uploadTestResults", code: "RUN_OF_OTHER_HEAD" }]);
    expect(codeOf(await fromFork({ reports, pr: { number: pull.number + 1 } }))).toEqual(refused);
    const unknown = await fromFork({ reports, repo: { ...api.queue.repo, owner: "nobody" } });
    expect({ ...unknown.body, instance: "" }).toEqual({ ...known.body, instance: "" });
    for (const kind of ["stable", "queue"])
      expect(codeOf(await fromFork({ reports, kind }))).toEqual({ status: 400, code: "INVALID_BODY" });
  });

  test("are limited to 1 MiB, and to 16 MiB when decompressed", async () => {
    const padding = (bytes: number) => `<testsuite name="s"><!--${"x".repeat(bytes)}--></testsuite>`;
    const plain = await fromFork({ reports: [{ path: "a.xml", content: padding(2 ** 20) }] });
    expect(codeOf(plain)).toEqual({ status: 413, code: "FORK_BODY_TOO_LARGE" });
    // Each part compresses well, but together they exceed the limit when decompressed.
    const noise = Array.from({ length: 3_000 }, (_, index) => `${index * 7_919}`)
      .join(" ")
      .repeat(120);
    const part = gzipSync(`<testsuite name="s"><!--${noise}--></testsuite>`).toString("base64");
    const parts = Array.from({ length: 6 }, (_, index) => ({
      path: `${index}.xml`,
      encoding: "gzip",
      content: part,
    }));
    expect(noise.length * 6).toBeGreaterThan(16 * 2 ** 20);
    const { body: judged } = await fromFork({ reports: parts, step_failed: false });
    expect(judged).toMatchObject({ verdict: "unknown", code: "REPORT_FAULTY" });
    const faults = (judged.reports as { fault: { code: string } | null }[]).map(({ fault }) => fault?.code);
    expect(faults.at(-1)).toBe("REPORT_TOO_LARGE");
    expect(faults.slice(0, -1)).not.toContain("REPORT_TOO_LARGE");
  });

  test("are limited to 30 uploads a minute from one address", async () => {
    const answers = [];
    for (let upload = 0; upload < 31; upload++) answers.push(await fromFork({ pr: { number: "x" } }));
    expect(answers.slice(0, 30).every(({ status }) => status === 400)).toBe(true);
    expect(codeOf(answers[30] as Answer)).toEqual({ status: 429, code: "RATE_LIMITED" });
  });
});
