import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type OpenedPull, startYard, until, type Yard } from "../action/yard.ts";
import { TokenIssuer } from "../api/token-issuer.ts";
import { commandBlocks, type Step, workflowSnippets } from "./snippets.ts";

const failure = '<failure message="expected 2, got 3">at turn (src/widget.ts:7)</failure>';
const report = `<testsuite name="widget" tests="2" failures="1"><testcase name="spins"/><testcase name="turns">${failure}</testcase></testsuite>`;

let yard: Yard;
let issuer: TokenIssuer;
let pull: OpenedPull;

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  yard = await startYard({
    ...{ TRAINYARD_OIDC_ISSUER: issuer.url, TRAINYARD_OIDC_KEYS_URL: issuer.keysUrl },
    TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  });
  pull = await yard.open("topic", { "api/server.ts": "1\n" });
  await mkdir(join(yard.workspace, "reports"));
  await writeFile(join(yard.workspace, "reports/junit.xml"), report);
});

afterAll(async () => {
  await yard.close();
  await issuer.close();
});

/** Finds the step whose script contains a text, with the job's variables. */
function stepWith(file: string, text: string): Required<Pick<Step, "run" | "env">> {
  for (const { name, jobs } of workflowSnippets())
    for (const { steps, env } of name.startsWith(`${file} `) ? jobs : [])
      for (const step of steps)
        if (step.run?.includes(text)) return { run: step.run, env: { ...env, ...step.env } };
  throw new Error(`${file} has no such step`);
}

/** Runs a step's script as a runner does, with values for the expressions in its variables. */
async function runScript(
  { run, env }: Required<Pick<Step, "run" | "env">>,
  expressions: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const evaluated = Object.entries(env).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => expressions[expression] ?? ""),
  ]);
  const { stdout } = await promisify(execFile)(
    "bash",
    ["--noprofile", "--norc", "-eo", "pipefail", "-c", run],
    {
      cwd: yard.workspace,
      env: { PATH: process.env.PATH, ...Object.fromEntries(evaluated), ...variables },
    },
  );
  return JSON.parse(stdout);
}

const job = () => ({
  ...{ GITHUB_REPOSITORY: "acme/widgets", GITHUB_SERVER_URL: yard.sandbox.url, GITHUB_JOB: "test" },
  ...{ GITHUB_WORKFLOW: "CI", GITHUB_RUN_ATTEMPT: "1", RUNNER_OS: "Linux" },
});

describe("the upload script of docs/how-to/flaky-tests.md", () => {
  const script = stepWith("docs/how-to/flaky-tests.md", "upload-results");
  let runs = 0;

  async function upload(event: string, ref: string, more: Record<string, string> = {}) {
    const isPull = event === "pull_request";
    const { stdout: head } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: yard.workspace });
    const expressions = {
      "vars.TRAINYARD_URL": yard.url,
      "secrets.TRAINYARD_TOKEN": yard.token,
      "steps.tests.outcome != 'success'": "true",
      ...(event === "schedule" ? {} : { "github.event.repository.default_branch": "main" }),
      ...(isPull ? { "github.event.pull_request.number": String(pull.number) } : {}),
      ...(isPull ? { "github.event.pull_request.head.sha": pull.headSha } : {}),
    };
    runs += 1;
    const variables = {
      ...{ GITHUB_EVENT_NAME: event, GITHUB_REF_NAME: ref, GITHUB_HEAD_REF: isPull ? "topic" : "" },
      GITHUB_BASE_REF: isPull ? "main" : "",
      ...{ GITHUB_SHA: head.trim(), GITHUB_RUN_ID: String(runs), ...more },
    };
    return runScript(script, expressions, { ...job(), ...variables });
  }

  test.each([
    ["a pull request", "pull_request", "7/merge", false],
    ["main", "push", "main", false],
    ["the queue", "push", "trainyard-merge/pr-7/x", false],
    ["a schedule", "schedule", "main", false],
    ["a feature branch", "push", "feature", false],
    ["an event of unknown kind", "workflow_run", "main", true],
  ])("gets a verdict from the service for %s", async (_what, event, ref, isUnknown) => {
    const answer = await upload(event, ref);
    expect(answer).toMatchObject({ verdict: "failed", failed_count: 1, is_suspect: isUnknown });
    expect(answer.failed).toMatchObject([{ name: "turns", variant: "Linux" }]);
  });

  test("does not execute text from a branch name", async () => {
    const ref = '"$(>injected)"';
    expect(await upload("push", ref)).toMatchObject({ verdict: "failed" });
    const { stdout } = await promisify(execFile)("ls", { cwd: yard.workspace });
    expect(stdout).not.toContain("injected");
  });
});

test("the script of docs/how-to/authentication.md uploads targets with the job's OIDC token", async () => {
  const script = stepWith("docs/how-to/authentication.md", "setImpactedTargets");
  const claims = { event_name: "pull_request", ref: `refs/pull/${pull.number}/merge` };
  const expressions = {
    "vars.TRAINYARD_URL": yard.url,
    "github.event.number": String(pull.number),
    "github.event.pull_request.head.sha": pull.headSha,
  };
  const variables = { ...job(), GITHUB_BASE_REF: "main", ...issuer.jobEnvironment(claims) };
  expect(await runScript(script, expressions, variables)).toMatchObject({ targetsCount: 2 });
});

/** Blocks that run elsewhere, and where. */
const elsewhere: Readonly<Record<string, string>> = {
  "README.md 1": "test/docs/newcomer.long.test.ts",
  "README.md 2": "the run of this test",
  "docs/tutorial/first-merge.md 1": "test/docs/newcomer.long.test.ts",
  "docs/tutorial/first-merge.md 2": "test/docs/newcomer.long.test.ts",
  "docs/how-to/installing.md 1": "test/cli/setup.test.ts",
  "docs/how-to/installing.md 2": "test/docs/newcomer.long.test.ts",
  "docs/how-to/backup.md 3": "not here: it needs the tools of PostgreSQL",
  "docs/how-to/live.md 1": "test/live/live.test.ts",
  "docs/how-to/releasing.md 1": "test/docs/releasing.long.test.ts",
  "docs/agents/README.md 1": "test/mcp/mcp.test.ts",
};
const blocks = commandBlocks();
const here = [...blocks].filter(([name]) => !(name in elsewhere));

test("each block of commands in the documents is run here or elsewhere", () => {
  expect(Object.keys(elsewhere).filter((name) => !blocks.has(name))).toEqual([]);
  expect(here.length).toBeGreaterThan(10);
});

test.each(here)("the commands in %s succeed as they stand, in a fresh folder", async (_name, script) => {
  if (script.includes("createQueue")) await yard.client.deleteQueue(yard.queue);
  if (script.includes("replay")) {
    await yard.submit(pull.number);
    await until(async () => (await yard.state(pull.number)) === "merged");
  }
  const cwd = await mkdtemp(join(yard.directory, "snippet-"));
  if (script.includes("npm "))
    for (const name of ["package.json", "node_modules", "src", "scripts", "tools", "migrations"])
      await symlink(join(import.meta.dirname, "../..", name), join(cwd, name));
  const own = script
    .replace("https://trainyard.example.com", yard.url)
    .replace("TRAINYARD_TOKEN=ty_…", `TRAINYARD_TOKEN=${yard.adminToken}`)
    .replaceAll(" /backups/", " ");
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, DATABASE_URL: `sqlite:${join(yard.directory, "trainyard.db")}` };
  const { stdout } = await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", own], {
    cwd,
    env,
  });
  if (script.includes("curl ")) expect(JSON.parse(stdout)).toEqual(expect.anything());
});
