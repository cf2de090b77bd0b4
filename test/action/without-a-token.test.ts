import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createOctokit } from "../../tools/lab/demo/authors.ts";
import { TokenIssuer } from "../api/token-issuer.ts";
import { Fork } from "../sandbox/fork.ts";
import type { StepEnd, StepSettings } from "./run-step.ts";
import { type OpenedPull, pullRequestEvent, startYard, until, type Yard } from "./yard.ts";

const audience = "https://trainyard.example";

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
  await yard.configure({ mode: "parallel" });
  pull = await yard.open("topic", { "api/server.ts": "1\n" });
});

afterAll(async () => {
  await yard.close();
  await issuer.close();
});

/** Runs a step without an API token, in a job that may request an OIDC token. */
async function step(inputs: Record<string, string>, settings: Partial<StepSettings> = {}): Promise<StepEnd> {
  const before = issuer.issued.length;
  const claims = { event_name: "pull_request", ref: `refs/pull/${pull.number}/merge`, sha: "b".repeat(40) };
  const started = await yard.start(pull, {
    workspace: yard.workspace,
    env: issuer.jobEnvironment(claims),
    secrets: () => ["the-job-may-ask", ...issuer.issued.slice(before)],
    ...settings,
    inputs: { "api-token": "", "api-audience": audience, ...inputs },
  });
  return started.ended;
}

describe("a job with `id-token: write`", () => {
  test("uploads its pull request's targets with its own OIDC token, which appears in no output", async () => {
    const end = await step({
      command: "impacted-targets",
      provider: "command",
      "targets-command": "echo api",
    });
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "uploaded", "targets-count": "1" } });
    expect(issuer.issued).toHaveLength(1);
  });

  test("requests a token only when it has something to upload", async () => {
    const before = issuer.issued.length;
    const end = await step(
      { command: "impacted-targets", provider: "all", "dry-run": "true" },
      { secrets: () => [] },
    );
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "dry-run" } });
    expect(issuer.issued).toHaveLength(before);
  });

  test("cannot upload targets of another pull request", async () => {
    const other = await yard.open("other", { "web/page.ts": "1\n" });
    const event = pullRequestEvent(other);
    const end = await step({ command: "impacted-targets", provider: "all" }, { event });
    expect(end).toMatchObject({ exitCode: 1, annotations: [{ level: "error" }] });
  });

  test("can submit its pull request, but needs an API token to wait", async () => {
    const waiting = await step({ command: "submit", wait: "true" }, { secrets: () => ["the-job-may-ask"] });
    expect(waiting).toMatchObject({ exitCode: 1 });
    expect(waiting.annotations[0]?.message).toContain(
      "The input wait needs an API token with the scope `read`",
    );
    expect(await yard.state(pull.number)).toBeNull();
    expect(await step({ command: "submit" })).toMatchObject({
      exitCode: 0,
      outputs: { verdict: "submitted" },
    });
    await until(async () => (await yard.state(pull.number)) === "merged");
  });

  test("fails with advice when the token's audience is not the service's", async () => {
    const end = await step({ command: "submit", "api-audience": "" });
    expect(end).toMatchObject({ exitCode: 1 });
    expect(end.annotations[0]?.message).toContain("Set the input api-audience");
  });

  test("fails when GitHub issues no token", async () => {
    const env = { ...issuer.jobEnvironment({}), ACTIONS_ID_TOKEN_REQUEST_TOKEN: "expired" };
    const end = await step({ command: "submit" }, { env, secrets: () => ["expired"] });
    expect(end).toMatchObject({ exitCode: 1 });
    expect(end.annotations[0]?.title).toBe("Trainyard: GitHub issued no token");
  });

  test.each(["cancel", "restart", "status"])("needs an API token for the command %s", async (command) => {
    const end = await step({ command }, { secrets: () => ["the-job-may-ask"] });
    expect(end).toMatchObject({ exitCode: 1 });
    expect(end.annotations[0]?.message).toContain("The input api-token is missing");
  });
});

describe("a workflow of a fork", () => {
  let settings: Partial<StepSettings>;
  let forked: { number: number; headSha: string };

  beforeAll(async () => {
    yard.sandbox.setCi("acme/widgets", { checks: ["build"], durationMs: [600_000, 600_000] });
    const mallory = yard.sandbox.createUser({ login: "mallory", permission: "read" });
    const octokit = createOctokit(yard.sandbox.url, mallory.token);
    const fork = await Fork.of(yard.sandbox, "mallory", octokit);
    const { sha, pull: opened } = await fork.openPull("feature");
    const runOf = () => yard.sandbox.workflowRuns("acme/widgets").find(({ headSha }) => headSha === sha);
    await until(async () => {
      const run_id = runOf()?.id;
      if (run_id === undefined) return false;
      const { data } = await yard.asAlice.rest.actions.getWorkflowRun({
        owner: "acme",
        repo: "widgets",
        run_id,
      });
      return data.status === "in_progress";
    });
    const head = `refs/pull/${opened.number}/head`;
    const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: yard.workspace });
    await git("fetch", "--quiet", "origin", head);
    await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
    forked = { number: opened.number, headSha: sha };
    settings = {
      event: pullRequestEvent(forked, "mallory/widgets"),
      env: { GITHUB_RUN_ID: String(runOf()?.id), GITHUB_HEAD_REF: "feature", GITHUB_SHA: sha },
      secrets: () => [],
    };
  });

  test("uploads its pull request's targets, more than 1 MiB of them, while it runs", async () => {
    const list = { command: "impacted-targets", provider: "command", "targets-command": "seq 1 200000" };
    const end = await step(list, settings);
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "uploaded", "targets-count": "200000" } });
  });

  test("only adds to targets that were uploaded with a token, and logs that", async () => {
    const pr = { number: forked.number, sha: forked.headSha };
    await yard.client.setImpactedTargets({ ...yard.queue, pr, impactedTargets: "ALL" });
    const end = await step(
      { command: "impacted-targets", provider: "command", "targets-command": "true" },
      settings,
    );
    expect(end).toMatchObject({ exitCode: 0, outputs: { verdict: "uploaded", "targets-count": "ALL" } });
    expect(end.log).toContain("Added to the targets that were posted with a token, now ALL for head");
  });

  test("passes when only quarantined tests failed, and adds nothing to the history of tests", async () => {
    const report = (...failed: string[]) =>
      failed.map((name) => `<testcase name="${name}"><failure message="1"/></testcase>`).join("");
    const content = (cases: string) => `<testsuite name="s">${cases}</testsuite>`;
    const sha1 = "d".repeat(40);
    const { failed } = await yard.client.uploadTestResults({
      ...{ repo: yard.queue.repo, head_sha: sha1, tree_sha: sha1, branch: "main", kind: "stable" },
      ...{ run_id: "1", job: "test", step_failed: true },
      reports: [{ path: "a.xml", content: content(report("blinks")) }],
    });
    await yard.client.setQuarantine({
      ...{
        repo: yard.queue.repo,
        test_case_id: failed[0]?.id ?? "",
        quarantine_setting: "ALWAYS_QUARANTINE",
      },
      reason: "it blinks",
    });
    const inputs = { command: "upload-tests", "junit-paths": "*.xml", "previous-step-outcome": "failure" };
    const path = join(yard.workspace, "a.xml");
    await writeFile(path, content(report("blinks")));
    expect(await step(inputs, settings)).toMatchObject({ exitCode: 0, outputs: { verdict: "quarantined" } });
    await writeFile(path, content(report("blinks", "turns")));
    expect(await step(inputs, settings)).toMatchObject({ exitCode: 1, outputs: { verdict: "failed" } });
    const about = { repo: yard.queue.repo, org_url_slug: yard.queue.repo.owner };
    const span = {
      start: new Date(Date.now() - 3_600_000).toISOString(),
      end: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const failing = await yard.client.listFailingTests({ ...about, ...span, page_query: { page_size: 9 } });
    expect(failing.failing_tests.map(({ name }) => name)).toEqual(["blinks"]);
    await rm(path);
  });

  test("ends as its tests did when the service rejects its run", async () => {
    const path = join(yard.workspace, "a.xml");
    await writeFile(path, '<testsuite name="s"><testcase name="a"><failure/></testcase></testsuite>');
    const inputs = { command: "upload-tests", "junit-paths": "*.xml", "previous-step-outcome": "failure" };
    const end = await step(inputs, { ...settings, env: { ...settings.env, GITHUB_RUN_ID: "4711" } });
    expect(end).toMatchObject({ exitCode: 1, outputs: { verdict: "not-judged" } });
    expect(end.annotations).toMatchObject([{ level: "error" }]);
    await rm(path);
  });
});
