import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Api, startApi } from "../../api/api-harness.ts";
import { TokenIssuer } from "../../api/token-issuer.ts";
import { eventually } from "../../scenarios/eventually.ts";

let api: Api;
let issuer: TokenIssuer;
beforeAll(async () => {
  issuer = await TokenIssuer.start();
  api = await startApi({ workflowTokens: issuer.settings });
});
afterAll(async () => {
  await api.close();
  await issuer.close();
});

const failing = '<failure message="expected 2, got 3">at turn (src/widget.ts:7)</failure>';
const testcase = (name: string, inner = "") =>
  `<testcase classname="widget" name="${name}" time="0.01">${inner}</testcase>`;
const suite = (...cases: string[]) =>
  `<testsuite name="widget" tests="${cases.length}" failures="${cases.filter((one) => one.includes("<failure")).length}">${cases.join("")}</testsuite>`;

let runs = 0;
/** The upload of a new run with one report. */
function uploadOf(xml: string, more: object = {}): object {
  runs += 1;
  return {
    repo: api.queue.repo,
    head_sha: "a".repeat(40),
    tree_sha: "b".repeat(40),
    branch: "main",
    kind: "stable",
    run_id: `run-${runs}`,
    job: "test",
    step_failed: xml.includes("<failure"),
    reports: [{ path: "junit.xml", content: xml }],
    ...more,
  };
}
const upload = async (xml: string, more: object = {}) =>
  (await api.post("uploadTestResults", uploadOf(xml, more))).body;

describe("an upload", () => {
  test("with too many failures in several reports has a fault at the report that exceeds the limit", async () => {
    const failingSuite = (first: number) =>
      suite(...Array.from({ length: 6_000 }, (_, at) => testcase(`fails ${first + at}`, "<failure/>")));
    const reports = [0, 6_000].map((first) => ({ path: `${first}.xml`, content: failingSuite(first) }));
    const answer = await upload("", { reports, step_failed: true });
    expect(answer).toMatchObject({
      verdict: "failed",
      reports: [{ fault: null }, { fault: { code: "TOO_MANY_FAILURES" } }],
    });
  });

  test("of passing tests has the verdict passed", async () => {
    expect(await upload(suite(testcase("spins"), testcase("stops")), { job: "green" })).toMatchObject({
      verdict: "passed",
      code: "NOTHING_FAILED",
      failed: [],
      tests: { passed: 2, failed: 0, skipped: 0 },
      reports: [{ path: "junit.xml", cases: 2, fault: null }],
    });
  });

  test("with a failure has the verdict failed, and names the test with its id and message", async () => {
    const answer = await upload(suite(testcase("spins"), testcase("turns", failing)));
    expect(answer).toMatchObject({ verdict: "failed", code: "FAILURES_COUNT", failed_count: 1 });
    expect(answer.failed).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        name: "turns",
        parent: "widget",
        file: null,
        classname: "widget",
        variant: "",
        summary: expect.stringContaining("expected"),
      },
    ]);
  });

  test("that is repeated is stored once, and gets the same response", async () => {
    const body = uploadOf(suite(testcase("again", failing)));
    const [first, second] = [
      await api.post("uploadTestResults", body),
      await api.post("uploadTestResults", body),
    ];
    expect(first.body).toMatchObject({ is_new: true, verdict: "failed" });
    expect(second.body).toEqual({ ...first.body, is_new: false });
    const attempt = await api.post("uploadTestResults", { ...body, run_attempt: 2 });
    expect(attempt.body).toMatchObject({ is_new: true });
  });

  test("gives a test the same id each time, but another id in another variant", async () => {
    const idOf = async (more: object) => {
      const { failed } = await upload(suite(testcase("turns", failing)), more);
      return (failed as { id: string }[])[0]?.id;
    };
    const plain = await idOf({});
    expect(await idOf({ repo: { ...api.queue.repo, owner: "ACME" } })).toBe(plain);
    expect(await idOf({ variant: "windows" })).not.toBe(plain);
  });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ])("may contain a report in %s, and a damaged report is reported as faulty", async (encoding, compress) => {
    const compressed = compress(suite(testcase("spins")));
    const sent = async (content: string) =>
      upload("", { job: encoding, reports: [{ path: "a.xml", encoding, content }] });
    expect(await sent(compressed.toString("base64"))).toMatchObject({ verdict: "passed" });
    for (const damaged of [compressed.subarray(0, -1).toString("base64"), "no base64!", "", "AAAA"]) {
      const answer = await sent(damaged);
      expect(answer.verdict).toBe("unknown");
      const [report] = answer.reports as { fault: { code: string } }[];
      expect(["NOT_DECODABLE", "EMPTY"]).toContain(report?.fault.code);
    }
  });

  test("of known tests gets the same response as for new ones, and fails if any report has a failure", async () => {
    const [hums, rolls] = [testcase("hums"), testcase("rolls")];
    const reports = [suite(hums, rolls), suite(rolls, testcase("hums", failing)), suite(hums)];
    const more = { job: "known", step_failed: true, quarantine: false };
    for (let time = 0; time < 3; time += 1)
      expect(
        await upload("", {
          ...more,
          reports: reports.map((content, at) => ({ path: `${at}.xml`, content })),
        }),
      ).toMatchObject({
        is_new: true,
        verdict: "failed",
        failed_count: 1,
        tests: { passed: 1, failed: 1, skipped: 0 },
        reports: [{ cases: 2 }, { cases: 2 }, { cases: 1 }],
      });
  });

  test("is not decompressed further once a report is too large", async () => {
    const bomb = gzipSync(Buffer.alloc(40_000_000, " "));
    const began = process.memoryUsage.rss();
    const answer = await upload("", {
      reports: [{ path: "bomb.xml", encoding: "gzip", content: bomb.toString("base64") }],
    });
    expect(answer).toMatchObject({
      verdict: "unknown",
      reports: [{ cases: 0, fault: { code: "REPORT_TOO_LARGE" } }],
    });
    expect(process.memoryUsage.rss() - began).toBeLessThan(150_000_000);
  });
});

describe("an upload gets the verdict unknown", () => {
  const whole = suite(testcase("spins"), testcase("stops"));

  test.each<[what: string, code: string, fault: string | null, more: object]>([
    ["without a report", "NO_REPORT", null, { reports: [] }],
    ["with fewer reports than expected", "REPORTS_MISSING", null, { expected_reports: 2 }],
    ["if its report is empty", "REPORT_FAULTY", "EMPTY", { reports: [{ path: "a.xml", content: " " }] }],
    [
      "if its report is not XML",
      "REPORT_FAULTY",
      "MALFORMED",
      { reports: [{ path: "a.xml", content: "ok" }] },
    ],
    [
      "if its report states more tests than it contains",
      "REPORT_FAULTY",
      "MISCOUNTED",
      { reports: [{ path: "a.xml", content: whole.replace('tests="2"', 'tests="3"') }] },
    ],
    [
      "if a report is cut off after another that is complete",
      "REPORT_FAULTY",
      "TRUNCATED",
      {
        reports: [
          { path: "a.xml", content: whole },
          { path: "b.xml", content: whole.slice(0, -3) },
        ],
      },
    ],
    ["if its step failed although no test did", "FAILED_OUTSIDE_OF_TESTS", null, { step_failed: true }],
  ])("%s: %s", async (_what, code, fault, more) => {
    const answer = await upload(whole, { job: "merciless", ...more });
    expect(answer).toMatchObject({ verdict: "unknown", code });
    const faults = (answer.reports as { fault: { code: string } | null }[]).map(
      (one) => one.fault?.code ?? null,
    );
    expect(faults.filter((one) => one !== null)).toEqual(fault === null ? [] : [fault]);
  });

  test("or failed, but never passed, if its report is cut off anywhere", async () => {
    const xml = suite(testcase("spins"), testcase("turns", failing));
    const verdicts = new Set<unknown>();
    for (let length = 0; length < xml.length; length += 17)
      verdicts.add((await upload(xml.slice(0, length), { job: "prefix", step_failed: true })).verdict);
    expect([...verdicts].filter((one) => one !== "unknown" && one !== "failed")).toEqual([]);
  });

  test("if it has fewer tests than the job's last green run, which does not apply to another variant", async () => {
    const job = { job: "shrinking" };
    expect(await upload(whole, job)).toMatchObject({ verdict: "passed" });
    expect(await upload(suite(testcase("spins")), job)).toMatchObject({
      verdict: "unknown",
      code: "TESTS_MISSING",
    });
    expect(await upload(suite(testcase("spins")), { ...job, variant: "shard-2" })).toMatchObject({
      verdict: "passed",
    });
  });

  test("except on a stable branch that has fewer tests than another stable branch", async () => {
    const smaller = suite(testcase("spins"));
    const main = { job: "on two branches", base_branch: "main" };
    const release = { ...main, branch: "release", base_branch: "release" };
    expect(await upload(smaller, main)).toMatchObject({ verdict: "passed" });
    expect(await upload(whole, release)).toMatchObject({ verdict: "passed" });
    expect(await upload(smaller, main)).toMatchObject({ verdict: "passed" });
    const pull = { kind: "pr", pr: { number: 9 }, branch: "feature" };
    expect(await upload(smaller, { ...main, ...pull })).toMatchObject({ verdict: "passed" });
    expect(await upload(smaller, { ...release, ...pull })).toMatchObject({ code: "TESTS_MISSING" });
  });

  test("if it is the first on a new stable branch and has fewer tests than the last green run on another", async () => {
    const job = { job: "on a new branch" };
    await upload(whole, job);
    const release = { ...job, branch: "release-2", base_branch: "release-2" };
    expect(await upload(suite(testcase("spins")), release)).toMatchObject({
      verdict: "unknown",
      code: "TESTS_MISSING",
    });
  });

  test("if it has fewer tests than its step's last green run, even when a smaller step of the job was green since", async () => {
    const job = { job: "of two steps" };
    const unit = Array.from({ length: 25 }, (_, at) => testcase(`spins ${at}`));
    const smoke = { ...job, step: "smoke" };
    await upload(suite(...unit), { ...job, step: "unit" });
    expect(await upload(suite(...unit.slice(20)), smoke)).toMatchObject({ verdict: "passed" });
    expect(await upload(suite(...unit.slice(20)), { ...job, step: "unit" })).toMatchObject({
      verdict: "unknown",
      code: "TESTS_MISSING",
      message:
        '20 tests of the complete run that it is compared with did not run (such as "spins 0", "spins 1", "spins 2"): a suite may not have run, another shard may not have reported yet, or the change deletes them',
    });
    expect(await upload(suite(...unit.slice(20)), smoke)).toMatchObject({ verdict: "passed" });
  });

  test("except for a job that has fewer tests than a job of the same name in another workflow", async () => {
    const job = { job: "of two workflows" };
    await upload(whole, { ...job, workflow: "CI" });
    const smaller = suite(testcase("spins"));
    expect(await upload(smaller, { ...job, workflow: "Nightly" })).toMatchObject({ verdict: "passed" });
  });
});

describe("an upload of test results", () => {
  test("is rejected for a repository without the App", async () => {
    const elsewhere = { repo: { ...api.queue.repo, name: "no-such" } };
    const { status, body } = await api.post("uploadTestResults", uploadOf("", elsewhere));
    expect({ status, code: body.code }).toEqual({ status: 404, code: "APP_NOT_INSTALLED" });
  });

  const asWorkflow = async (claims: Record<string, unknown>, more: object) =>
    api.post("uploadTestResults", uploadOf(suite(testcase("spins")), { job: "oidc", ...more }), {
      "x-api-token": "",
      authorization: `Bearer ${await issuer.issue(claims)}`,
    });

  test("is accepted from a workflow for its branch or its pull request, without a secret", async () => {
    expect((await asWorkflow({}, {})).body).toMatchObject({ verdict: "passed" });
    const ofPull = { ref: "refs/pull/7/merge", event_name: "pull_request" };
    const pull = { kind: "pr", pr: { number: 7 }, branch: "feature" };
    expect((await asWorkflow(ofPull, pull)).body).toMatchObject({ verdict: "passed" });
    const doubtful = { ...pull, kind: "unknown", pr: undefined };
    expect((await asWorkflow(ofPull, doubtful)).body).toMatchObject({ verdict: "passed", is_suspect: true });
  });

  test.each([
    ["a pull request's results for a stable branch", "refs/pull/7/merge", {}],
    ["a pull request's results for another one", "refs/pull/7/merge", { kind: "pr", pr: { number: 8 } }],
    ["a branch's results for another one", "refs/heads/feature", {}],
  ])("is rejected from a workflow with %s", async (_what, ref, more) => {
    const { status, body } = await asWorkflow({ ref }, more);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "WORKFLOW_OF_OTHER_BRANCH" });
    expect(body.detail).toContain(ref);
  });

  test("reveals nothing to a workflow of another organisation", async () => {
    const { status, body } = await asWorkflow({ repository: "evil/widgets", repository_owner: "evil" }, {});
    expect({ status, code: body.code }).toEqual({ status: 404, code: "REPOSITORY_NOT_FOUND" });
  });
});

test("a test that passed and failed on one tree is quarantined from then on, unless the upload opts out", async () => {
  await api.service.start();
  const job = { job: "flaky", kind: "stable", branch: "main" };
  const failed = suite(testcase("spins"), testcase("blinks", failing));
  const passed = suite(testcase("spins"), testcase("blinks"));
  expect(await upload(failed, job)).toMatchObject({ verdict: "failed" });
  expect(await upload(passed, job)).toMatchObject({ verdict: "passed" });
  const forgiven = await eventually(async () => {
    const answer = await upload(failed, job);
    return answer.verdict === "quarantined" ? answer : null;
  }, "the test to be quarantined");
  expect(forgiven).toMatchObject({ code: "ALL_QUARANTINED", failed: [], quarantined_count: 1 });
  expect(forgiven.quarantined).toEqual([
    expect.objectContaining({
      name: "blinks",
      quarantine_reason: expect.stringContaining("Passed and failed on the same tree bbbbbbb"),
      quarantine_expires_at: expect.stringMatching(/Z$/),
    }),
  ]);
  expect(await upload(failed, { ...job, quarantine: false })).toMatchObject({ verdict: "failed" });
  expect(await upload(failed, { ...job, kind: "unknown" })).toMatchObject({
    verdict: "failed",
    is_suspect: true,
    quarantined_count: 0,
  });
  const another = suite(testcase("spins", failing), testcase("blinks", failing));
  expect(await upload(another, job)).toMatchObject({
    verdict: "failed",
    failed_count: 1,
    quarantined_count: 1,
  });
});

test("a test with a matrix value that changes in every run is known again, and detected as flaky", async () => {
  await api.service.start();
  const nightly = (date: number, more: object = {}) => ({
    ...{ job: `test (nightly${date})`, variant: `node=25.0.0-nightly${date}b3c4d5e6f7` },
    ...more,
  });
  const failed = suite(testcase("rolls"), testcase("sparks", failing));
  // Legs of one run that only a date distinguishes. A test that is broken on one of them is not flaky.
  const [broken, fine] = [suite(testcase("grinds", failing)), suite(testcase("grinds"))];
  const leg = (version: string) => ({
    ...{ job: `test (${version})`, variant: `api=${version}`, run_id: "of two legs" },
    tree_sha: "c".repeat(40),
  });
  await upload(broken, leg("2024-06-20"));
  await upload(fine, leg("2025-01-15"));
  await upload(failed, nightly(20261127));
  await upload(suite(testcase("rolls"), testcase("sparks")), nightly(20261128));
  const forgiven = await eventually(async () => {
    const answer = await upload(failed, nightly(20261129));
    return answer.verdict === "quarantined" ? answer : null;
  }, "the test to be quarantined");
  expect(forgiven.quarantined).toMatchObject([{ name: "sparks", variant: "node=25.0.0-nightly…" }]);
  expect(await upload(broken, { ...leg("2024-06-20"), run_attempt: 2 })).toMatchObject({ verdict: "failed" });
  const lacking = suite(testcase("sparks", failing));
  expect(await upload(lacking, nightly(20261130))).toMatchObject({ code: "TESTS_MISSING" });
  for (const other of ["node=24.1", "node=24.2", "shard=1/2", "shard=2/2"])
    expect(await upload(failed, { ...nightly(20261130), variant: other })).toMatchObject({
      verdict: "failed",
      failed: [{ variant: other }],
    });
});

test("two tests with the same name are never reported as one flaky test", async () => {
  await api.service.start();
  const job = (tree: string) => ({
    ...{ job: "twins", kind: "stable", branch: "main", tree_sha: tree.repeat(40) },
  });
  const twins = suite(testcase("twin", failing), testcase("twin"));
  for (const tree of ["d", "e", "d", "e"])
    expect(await upload(twins, job(tree))).toMatchObject({ verdict: "unknown", code: "RETRY_UNCERTAIN" });
  // A green run shows that there are two. From now on it is certain that one of them failed.
  const green = suite(testcase("twin"), testcase("twin"), testcase("seen"));
  expect(await upload(green, { ...job("f"), step_failed: false })).toMatchObject({ verdict: "passed" });
  expect(await upload(twins, job("d"))).toMatchObject({ verdict: "failed", failed_count: 1 });
  // Later results are evaluated after them, so this test shows that the evaluation has passed them.
  await upload(suite(testcase("seen", failing)), job("f"));
  const page = { repo: api.queue.repo, org_url_slug: "acme", page_query: { page_size: 100 } };
  const unhealthy = async () => {
    const { body } = await api.post("listUnhealthyTests", page);
    return (body.unhealthy_tests as { name: string }[]).map(({ name }) => name);
  };
  await eventually(async () => (await unhealthy()).includes("seen") || null, "the other test to be flaky");
  expect((await unhealthy()).filter((name) => name.startsWith("twin"))).toEqual([]);
});

test("a step that passed after a retry makes the test flaky", async () => {
  await api.service.start();
  const job = { job: "retries", kind: "stable", branch: "main", step_failed: false };
  const retried = suite(testcase("retried", failing), testcase("retried"));
  expect(await upload(retried, job)).toMatchObject({ verdict: "passed" });
  const page = { repo: api.queue.repo, org_url_slug: "acme", page_query: { page_size: 100 } };
  await eventually(async () => {
    const { body } = await api.post("listUnhealthyTests", page);
    return (body.unhealthy_tests as { name: string }[]).some(({ name }) => name === "retried") || null;
  }, "the test to be flaky");
});

test("an upload of the kind unknown neither makes a test flaky nor counts as a failure", async () => {
  const job = { job: "unknown", kind: "stable", branch: "main", tree_sha: "c".repeat(40) };
  const outcomes = { doubted: testcase("doubted", failing), witness: testcase("witness", failing) };
  const { doubted, witness } = outcomes;
  await upload(suite(doubted), { ...job, kind: "unknown" });
  await upload(suite(testcase("doubted"), witness), job);
  await upload(suite(doubted), { ...job, kind: "unknown" });
  await upload(suite(testcase("witness")), job);
  const ask = { ...{ repo: api.queue.repo, org_url_slug: "acme" }, page_query: { page_size: 100 } };
  const unhealthy = async () => {
    const { body } = await api.post("listUnhealthyTests", ask);
    return (body.unhealthy_tests as { name: string }[]).map(({ name }) => name);
  };
  await eventually(async () => (await unhealthy()).includes("witness") || null, "the witness to be flaky");
  expect(await unhealthy()).not.toContain("doubted");
  const day = 24 * 3_600_000;
  const span = {
    start: new Date(Date.now() - day).toISOString(),
    end: new Date(Date.now() + day).toISOString(),
  };
  const { body } = await api.post("listFailingTests", { ...ask, ...span });
  const failed = (body.failing_tests as { name: string }[]).map(({ name }) => name);
  expect(failed).toContain("witness");
  expect(failed).not.toContain("doubted");
});
