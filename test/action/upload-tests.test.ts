import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { TokenIssuer } from "../api/token-issuer.ts";
import type { StepEnd, StepSettings } from "./run-step.ts";
import { type Scripted, startScripted } from "./scripted-service.ts";
import { type OpenedPull, startYard, until, type Yard } from "./yard.ts";

const audience = "https://trainyard.example";
const failure = '<failure message="expected 2, got 3">at turn (src/widget.ts:7)</failure>';

/** A test report in which the tests whose names end with `!` failed. */
function report(...names: string[]): string {
  const cases = names.map((name) => {
    const plain = name.replace("!", "");
    return `<testcase classname="widget" name="${plain}">${name.endsWith("!") ? failure : ""}</testcase>`;
  });
  const failures = names.filter((name) => name.endsWith("!")).length;
  return `<testsuite name="widget" tests="${names.length}" failures="${failures}">${cases.join("")}</testsuite>`;
}

let yard: Yard;
let issuer: TokenIssuer;
let pull: OpenedPull;

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  yard = await startYard({
    TRAINYARD_OIDC_ISSUER: issuer.url,
    TRAINYARD_OIDC_KEYS_URL: issuer.keysUrl,
    TRAINYARD_OIDC_AUDIENCE: audience,
  });
  pull = await yard.open("topic", { "api/server.ts": "1\n" });
  await quarantine("blinks");
});

afterAll(async () => {
  await yard.close();
  await issuer.close();
});

beforeEach(async () => {
  await rm(join(yard.workspace, "reports"), { recursive: true, force: true });
  await mkdir(join(yard.workspace, "reports"));
});

/** Quarantines a test permanently. */
async function quarantine(name: string): Promise<void> {
  const { failed } = await yard.client.uploadTestResults({
    ...{ repo: yard.queue.repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40) },
    ...{ branch: "main", kind: "stable", run_id: "1", job: "other", step_failed: true },
    reports: [{ path: "junit.xml", content: report(`${name}!`) }],
  });
  await yard.client.setQuarantine({
    ...{ repo: yard.queue.repo, test_case_id: failed[0]?.id ?? "" },
    ...{ quarantine_setting: "ALWAYS_QUARANTINE", reason: `it ${name}` },
  });
}

let jobs = 0;

/** Runs a step in a new job, with these files in `reports`. */
async function step(
  files: Readonly<Record<string, string>>,
  inputs: Record<string, string>,
  settings: Partial<StepSettings> = {},
): Promise<StepEnd> {
  for (const [name, content] of Object.entries(files))
    await writeFile(join(yard.workspace, "reports", name), content);
  jobs += 1;
  const env = { GITHUB_HEAD_REF: "topic", GITHUB_JOB: `job-${jobs}` };
  const started = await yard.start(pull, {
    workspace: yard.workspace,
    ...settings,
    env: { ...env, ...settings.env },
    inputs: { command: "upload-tests", "junit-paths": "reports/*.xml", ...inputs },
  });
  return started.ended;
}

const after = { "previous-step-outcome": "failure" };

describe("after a failed test step, upload-tests", () => {
  const quarantined = report("spins", "blinks!");

  test.each<[why: string, exitCode: number, verdict: string, xml: string, inputs?: Record<string, string>]>([
    ["succeeds when every failed test is quarantined", 0, "quarantined", quarantined],
    ["fails when a failed test is not quarantined", 1, "failed", report("spins!", "blinks!")],
    ["fails when the report has no failed test", 1, "unknown", report("spins", "blinks")],
    [
      "fails when a report states more failures than it contains",
      1,
      "unknown",
      quarantined.replace('failures="1"', 'failures="2"'),
    ],
    ["fails when a report is cut off", 1, "unknown", quarantined.slice(0, -20)],
    ["fails when a report is not a test report", 1, "unknown", "Segmentation fault"],
    [
      "fails for a quarantined test when quarantine is off",
      1,
      "failed",
      quarantined,
      { quarantine: "false" },
    ],
    ["fails when the quarantine is of another variant", 1, "failed", quarantined, { variant: "windows" }],
  ])("%s", async (_why, exitCode, verdict, xml, inputs = {}) => {
    const end = await step({ "a.xml": xml }, { ...after, ...inputs });
    expect(end).toMatchObject({ exitCode, outputs: { verdict } });
  });

  test("fails when there is no report", async () => {
    expect(await step({}, after)).toMatchObject({ exitCode: 1, outputs: { verdict: "unknown" } });
  });

  test("fails when the reports lack tests of the job's last green run", async () => {
    const env = { GITHUB_JOB: "shrinking" };
    const green = { "a.xml": report("spins", "blinks"), "b.xml": report("turns", "stops") };
    const passed = await step(green, { "previous-step-outcome": "success" }, { env });
    expect(passed).toMatchObject({ exitCode: 0, outputs: { verdict: "passed" } });
    await rm(join(yard.workspace, "reports/b.xml"));
    const settings = { env: { ...env, GITHUB_RUN_ATTEMPT: "2" } };
    const end = await step({ "a.xml": quarantined }, after, settings);
    expect(end).toMatchObject({ exitCode: 1, outputs: { verdict: "unknown" } });
  });

  test("succeeds with a summary of the masked tests and their owners", async () => {
    const { outputs, summary } = await step({ "a.xml": quarantined }, after);
    expect(outputs).toMatchObject({ "quarantined-count": "1", "failed-count": "0" });
    expect(summary).toContain("| masked test | owner | ticket | until | why |");
    expect(summary).toMatch(/\| widget › blinks \| nobody \|\s+\| \d{4}-\d\d-\d\d \| it blinks \|/);
  });
});

test.each<[outcome: string, exitCode: number, verdict: string]>([
  ["success", 0, "passed"],
  ["skipped", 0, "skipped"],
  ["cancelled", 1, "skipped"],
])(
  "upload-tests after a step with the outcome %s ends with exit code %i",
  async (outcome, exitCode, verdict) => {
    const end = await step({ "a.xml": report("spins") }, { "previous-step-outcome": outcome });
    expect(end).toMatchObject({ exitCode, outputs: { verdict } });
  },
);

describe("upload-tests that runs the tests itself", () => {
  const writing = (xml: string, exit: number) =>
    `echo running && cat > reports/own.xml <<'END'\n${xml}\nEND\nexit ${exit}`;

  test("succeeds when every failed test is quarantined, and shows the output of the tests", async () => {
    const end = await step({}, { run: writing(report("blinks!"), 3) });
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "quarantined" } });
    expect(end.log).toMatch(/^running$/m);
  });

  test("ends with the tests' exit code when another test failed", async () => {
    const end = await step({}, { run: writing(report("turns!"), 3) });
    expect(end).toMatchObject({ exitCode: 3, outputs: { verdict: "failed" } });
    expect(end.summary).toContain("- failed: widget › turns: expected");
  });

  test("ignores reports of an earlier run", async () => {
    await writeFile(join(yard.workspace, "reports/old.xml"), report("blinks!"));
    await utimes(join(yard.workspace, "reports/old.xml"), 1_700_000_000, 1_700_000_000);
    const end = await step({}, { run: "exit 2" });
    expect(end).toMatchObject({ exitCode: 2, outputs: { verdict: "unknown" } });
  });

  test("gives the tests neither its token nor its inputs", async () => {
    const end = await step({}, { run: "env | grep -E '^(INPUT_|ACTIONS_)' && exit 0; exit 4" });
    expect(end).toMatchObject({ exitCode: 4 });
  });

  test("ends with the tests' exit code in a dry run", async () => {
    const end = await step({}, { run: writing(report("blinks!"), 3), "dry-run": "true" });
    expect(end).toMatchObject({ exitCode: 3, outputs: { verdict: "dry-run" } });
  });
});

describe("without a verdict from the service, upload-tests ends as the tests did", () => {
  const problem = (status: number, code: string): Scripted => ({
    status,
    body: { type: "about:blank", title: code, status, code, detail: `It is ${code}.`, instance: "1" },
  });

  const newer = {
    ...{ verdict: "tolerated", code: "NEW_CODE", message: "", new_field: {} },
    ...{ tests: { passed: 0, failed: 1, skipped: 0 }, reports: [], failed: [], quarantined: [] },
    ...{ failed_count: 0, quarantined_count: 0 },
  };

  test.each<[what: string, answer: Scripted, tries: number, level: string]>([
    ["fails", problem(503, "OVERLOADED"), 3, "warning"],
    [
      "asks to wait for too long",
      { ...problem(429, "RATE_LIMITED"), headers: { "retry-after": "60" } },
      1,
      "warning",
    ],
    ["does not accept the token", problem(401, "TOKEN_NOT_VALID"), 1, "error"],
    ["is another server that answers 404", { status: 404, body: "<html>" }, 1, "error"],
    ["is another server that answers JSON", { status: 200, body: {} }, 1, "error"],
    ["is newer and answers a verdict that is not known yet", { status: 200, body: newer }, 1, "warning"],
  ])("and adds one annotation, when the service %s", async (_what, answer, tries, level) => {
    const service = await startScripted(answer);
    try {
      for (const [outcome, exitCode] of [
        ["failure", 1],
        ["success", 0],
      ] as const) {
        const inputs = { "previous-step-outcome": outcome, "api-url": service.url };
        const before = service.received.length;
        const end = await step({ "a.xml": report("blinks!") }, inputs);
        expect(end).toMatchObject({ exitCode, outputs: { verdict: "not-judged" } });
        // There is one annotation. It is an error if the step fails.
        expect(end.annotations).toMatchObject([{ level: exitCode === 0 ? level : "error" }]);
        expect(end.summary).toContain("the step succeeds or fails as the tests did");
        expect(service.received.length - before).toBe(tries);
      }
    } finally {
      await service.close();
    }
  });

  test("and adds an annotation, when the service is unreachable", async () => {
    const end = await step({ "a.xml": report("blinks!") }, { ...after, "api-url": "http://127.0.0.1:1" });
    expect(end).toMatchObject({ exitCode: 1, annotations: [{ level: "error" }] });
  });

  test("when the service never answers", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    const sockets: { destroy(): void }[] = [];
    silent.on("connection", (socket) => sockets.push(socket));
    await until(() => silent.listening);
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      const end = await step(
        { "a.xml": report("blinks!") },
        { ...after, "api-url": `http://127.0.0.1:${port}` },
      );
      expect(end).toMatchObject({ exitCode: 1, outputs: { verdict: "not-judged" } });
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  test("when there is no token, but fails with strict", async () => {
    const inputs = { "previous-step-outcome": "success", "api-token": "" };
    expect(await step({}, inputs)).toMatchObject({ exitCode: 0, outputs: { verdict: "skipped" } });
    expect(await step({}, { ...inputs, strict: "true" })).toMatchObject({ exitCode: 1 });
  });
});

test("a job with `id-token: write` uploads test results with its own OIDC token", async () => {
  const before = issuer.issued.length;
  const claims = { event_name: "pull_request", ref: `refs/pull/${pull.number}/merge`, sha: "d".repeat(40) };
  const end = await step(
    { "a.xml": report("blinks!") },
    { ...after, "api-token": "", "api-audience": audience },
    {
      env: issuer.jobEnvironment(claims),
      secrets: () => ["the-job-may-ask", ...issuer.issued.slice(before)],
    },
  );
  expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "quarantined" } });
});

/** What a step uploads besides the contents of the reports. */
async function uploadedBy(
  inputs: Record<string, string>,
  settings: Partial<StepSettings>,
): Promise<{ said: Record<string, unknown>; texts: [string, string][]; end: StepEnd }> {
  const service = await startScripted({ status: 400 });
  try {
    const files = { "a.xml": report("spins"), "b.xml": report("turns") };
    const env = { GITHUB_WORKFLOW: "CI", GITHUB_JOB: "test", GITHUB_RUN_ATTEMPT: "2" };
    const given = { ...after, "api-url": service.url, ...inputs };
    const end = await step(files, given, {
      ...settings,
      env: { ...env, GITHUB_ACTION: "__trainyard", ...settings.env },
    });
    const { reports, ...said } = JSON.parse(service.received[0]?.body ?? "{}");
    const texts = (reports ?? []).map(({ path, content }: { path: string; content: string }) => [
      path,
      gunzipSync(Buffer.from(content, "base64")).toString(),
    ]);
    return { said, texts, end };
  } finally {
    await service.close();
  }
}

describe("upload-tests attributes its results to", () => {
  const sha = async (revision: string) => {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", revision], { cwd: yard.workspace });
    return stdout.trim();
  };
  const branch = async (name: string) => ({
    ...{
      GITHUB_HEAD_REF: "",
      GITHUB_REF_NAME: name,
      GITHUB_REF_TYPE: "branch",
      GITHUB_SHA: await sha("HEAD"),
    },
  });
  const push = { repository: { full_name: "acme/widgets", default_branch: "main" } };

  test.each<[what: string, expected: object, ref: string, inputs?: Record<string, string>]>([
    ["a stable branch, for the default branch", { kind: "stable" }, "main"],
    ["a feature branch", { kind: "pr" }, "feature"],
    [
      "a stable branch that the step lists",
      { kind: "stable" },
      "release/2",
      { "stable-branches": "main, release/*" },
    ],
    ["the queue, for a branch of the queue", { kind: "queue" }, "trainyard-merge/pr-7/x"],
    ["the queue, for a branch of GitHub's merge queue", { kind: "queue" }, "gh-readonly-queue/main/pr-7"],
    ["the kind that the step gives", { kind: "unknown" }, "main", { kind: "unknown" }],
    [
      "another branch that the step gives",
      { kind: "stable", branch: "main" },
      "tools",
      { "head-branch": "main" },
    ],
  ])("%s, after a push", async (_what, expected, ref, inputs = {}) => {
    const settings = { event: push, env: await branch(ref) };
    const { said, texts } = await uploadedBy({ variant: "linux", ...inputs }, settings);
    expect(said).toEqual({
      ...{ repo: yard.queue.repo, head_sha: await sha("HEAD"), tree_sha: await sha("HEAD^{tree}") },
      ...{ run_id: "4711", run_attempt: 2, workflow: "CI", job: "test", variant: "linux", branch: ref },
      step: "__trainyard",
      ...{ step_failed: true, quarantine: true, expected_reports: 2 },
      // Which branch a feature branch is for is not known, and neither is its base.
      ...("kind" in expected && expected.kind === "pr" ? {} : { base_sha: await sha("HEAD^") }),
      ...expected,
    });
    expect(texts.map(([path]) => path)).toEqual(["reports/a.xml", "reports/b.xml"]);
    expect(texts[0]?.[1]).toBe(report("spins"));
  });

  test("the pull request's head after the event pull_request", async () => {
    const { said } = await uploadedBy({}, {});
    expect(said).toMatchObject({
      ...{ kind: "pr", branch: "topic", head_sha: pull.headSha, pr: { number: pull.number } },
      ...{ base_branch: "main", base_sha: await sha("HEAD^") },
      tree_sha: await sha("HEAD^{tree}"),
    });
  });

  test("the base of a test merge, also of a shallow checkout that does not contain it", async () => {
    const [merged, shallow] = ["merged", "shallow"].map((name) => join(yard.directory, name)) as [
      string,
      string,
    ];
    const git = async (cwd: string | undefined, ...args: string[]) => {
      const { stdout } = await promisify(execFile)(
        "git",
        ["-c", "user.name=a", "-c", "user.email=a@b", ...args],
        { cwd },
      );
      return stdout.trim();
    };
    await git(undefined, "clone", "-q", yard.workspace, merged);
    await git(merged, "checkout", "-q", "-b", "base", "HEAD^");
    await git(merged, "commit", "-q", "--allow-empty", "-m", "newer than the pull request");
    await git(merged, "merge", "-q", "--no-ff", "--no-edit", pull.headSha);
    await git(undefined, "clone", "-q", "--depth=1", "--branch=base", `file://${merged}`, shallow);
    const commit = await git(shallow, "rev-parse", "HEAD");
    const env = { GITHUB_REF: `refs/pull/${pull.number}/merge`, GITHUB_SHA: commit };
    const { said } = await uploadedBy({}, { env, workspace: shallow });
    expect(said).toMatchObject({ kind: "pr", base_sha: await git(merged, "rev-parse", "HEAD^1") });
  });

  test("a stable branch after a schedule, whose event names no repository", async () => {
    const env = { ...(await branch("main")), GITHUB_EVENT_NAME: "schedule" };
    const { said, end } = await uploadedBy({}, { event: { schedule: "0 3 * * *" }, env });
    expect(said).toMatchObject({ kind: "stable", branch: "main" });
    expect(end.log).not.toContain("It is not certain");
  });

  test("an unknown kind after a run of another workflow, unless the step gives the kind", async () => {
    const run = { id: 815, run_attempt: 3, head_branch: "topic", head_sha: "e".repeat(40) };
    const settings = { event: { ...push, workflow_run: run }, env: await branch("main") };
    const { said, end } = await uploadedBy({}, settings);
    expect(said).toMatchObject({
      ...{ kind: "unknown", branch: "topic", head_sha: run.head_sha, run_id: "815", run_attempt: 3 },
    });
    expect(said.tree_sha).not.toBe(await sha("HEAD^{tree}"));
    expect(end.annotations[0]).toMatchObject({
      level: "notice",
      message: expect.stringContaining("the workflow was started by another one"),
    });
    const known = await uploadedBy({ kind: "pr", "pr-number": String(pull.number) }, settings);
    expect(known.said).toMatchObject({ kind: "pr", branch: "topic", pr: { number: pull.number } });
    // Another attempt of the same run tests the same tree; another run may test a different one.
    expect(known.said.tree_sha).toBe(said.tree_sha);
    const event = { ...push, workflow_run: { ...run, id: 816 } };
    expect((await uploadedBy({}, { ...settings, event })).said.tree_sha).not.toBe(said.tree_sha);
  });

  test("no revision when there is no checkout, and then uploads nothing and reports an error", async () => {
    const workspace = await mkdtemp(join(yard.directory, "empty-"));
    const settings = { event: push, env: await branch("main"), workspace };
    const { said, end } = await uploadedBy({}, settings);
    expect(said).toEqual({});
    expect(end.annotations).toMatchObject([{ level: "error", title: "Trainyard: What was tested?" }]);
    expect(end.annotations[0]?.message).toContain("There is no checkout");
    const run = { id: 815, run_attempt: 1, head_branch: "topic", head_sha: "e".repeat(40) };
    const event = { ...push, workflow_run: run };
    expect((await uploadedBy({}, { ...settings, event })).said).toMatchObject({ kind: "unknown" });
  });

  test.each<[why: string, settings: (env: Record<string, string>) => Partial<StepSettings>]>([
    [
      "the checked-out commit is not in the event",
      (env) => ({ event: push, env: { ...env, GITHUB_SHA: "c".repeat(40) } }),
    ],
    ["the event does not name the default branch", (env) => ({ event: {}, env })],
    [
      "the checked-out commit is not in the event",
      (env) => ({
        // pull_request_target checks out the base.
        event: { ...push, pull_request: { number: 3, head: { sha: "c".repeat(40) }, base: { ref: "main" } } },
        env: { ...env, GITHUB_REF: "refs/heads/main" },
      }),
    ],
  ])("an unknown kind, because %s", async (why, settings) => {
    const { said, end } = await uploadedBy({}, settings(await branch("main")));
    expect(said).toMatchObject({ kind: "unknown" });
    expect(end.annotations[0]).toMatchObject({ level: "notice", message: expect.stringContaining(why) });
  });
});

describe("upload-tests names the job", () => {
  /** Creates a check run for a job, as GitHub Actions does. */
  async function checkRun(name: string): Promise<string> {
    const { id } = await yard.createCheckRun(name, pull.headSha);
    return String(id);
  }

  test.each(["test", "test (linux, 24)", "ci / test", "Unit tests"])(
    "like its check run: %s",
    async (name) => {
      const expressions = { "job.check_run_id": await checkRun(name) };
      expect((await uploadedBy({}, { expressions })).said).toMatchObject({ workflow: "CI", job: name });
    },
  );

  test("by its id when it cannot read the check run, and logs the remedy", async () => {
    const expressions = { "job.check_run_id": "1" };
    const { said, end } = await uploadedBy({}, { expressions });
    expect(said).toMatchObject({ job: "test" });
    expect(end.log).toContain("Give the job the permission `checks: read`, or set the input job.");
  });

  test("as the input job says", async () => {
    expect((await uploadedBy({ job: "ci / test" }, {})).said).toMatchObject({ job: "ci / test" });
  });
});

describe("the variant of an upload", () => {
  const variantOf = async (matrix: object | null, inputs: Record<string, string> = {}) => {
    const expressions = { "toJSON(matrix)": JSON.stringify(matrix, null, 2) };
    const { said } = await uploadedBy(inputs, { expressions, env: { RUNNER_OS: "Linux" } });
    return said.variant as string;
  };

  test("defaults to the runner's system and the values of the matrix", async () => {
    expect(await variantOf(null)).toBe("Linux");
    const leg = { os: "ubuntu-latest", node: 24, shard: { part: 1, of: 2 } };
    expect(await variantOf(leg)).toBe("Linux, os=ubuntu-latest, node=24, shard.part=1, shard.of=2");
    expect(await variantOf(leg, { variant: "mine" })).toBe("mine");
  });

  test("differs between two legs of a matrix even when their values are long", async () => {
    const long = "a-very-long-name-of-a-runner-that-somebody-has-given-to-a-machine";
    const legs = await Promise.all([{ on: `${long}-1` }, { on: `${long}-2` }].map((leg) => variantOf(leg)));
    expect(new Set(legs).size).toBe(2);
    for (const leg of legs) expect(leg.length).toBeLessThanOrEqual(64);
  });

  test("has the same digest for long values that differ only by a date or a commit", async () => {
    const long = "ghcr.io/an-organisation/a-repository/a-very-long-name-of-an-image";
    const legs = ["2026-11-28-1a2b3c4", "2026-11-29-5d6e7f8"].map((tag) =>
      variantOf({ on: `${long}:${tag}` }),
    );
    const [first, second] = await Promise.all(legs);
    expect(first).toBe(second);
    expect(await variantOf({ on: `${long}:4.1` })).not.toBe(first);
  });
});

test("with verbose, upload-tests logs what it uploads and which requests it makes", async () => {
  const quiet = await step({ "a.xml": report("spins") }, { "previous-step-outcome": "success" });
  expect(quiet.log).not.toMatch(/^Uploading/m);
  const end = await step(
    { "a.xml": report("spins") },
    { "previous-step-outcome": "success", verbose: "true" },
  );
  expect(end.log).toMatch(/^Uploading \{"repo":.*"kind":"pr"/m);
  expect(end.log).toMatch(/^POST \S+\/v1\/flaky-tests\/upload-results was answered 200 after \d+ ms$/m);
});

test("all invalid inputs of upload-tests are reported at once", async () => {
  const inputs = { run: "touch ran", ...after, variant: "x".repeat(65), "junit-paths": "" };
  const end = await step({}, inputs);
  expect(end.exitCode).toBe(1);
  for (const name of ["junit-paths", "run", "variant"])
    expect(end.annotations[0]?.message).toContain(`The input ${name} is`);
});
