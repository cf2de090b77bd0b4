import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import type { FinishingJob } from "../ci/ci-settings.ts";
import { gitEnvironment } from "../git/run-git.ts";

/** A step of a job that uses an Action. */
interface ActionStep {
  readonly action: string;
  /** An empty or shared directory for the runner's files. */
  readonly directory: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** The values of the expressions in the inputs' defaults, such as `github.token`. */
  readonly expressions: Readonly<Record<string, string>>;
  /** The variables of the job and of the step. */
  readonly env: Readonly<Record<string, string>>;
  readonly event: object;
  /** Default: an empty directory. */
  readonly workspace?: string | undefined;
  /** Kills the step when it aborts. */
  readonly stop?: AbortSignal | undefined;
}

/** A running step. */
interface StartedAction {
  readonly child: ChildProcess;
  /** The directory of the step's files: event, outputs, summary. */
  readonly home: string;
  /** Includes the defaults. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Returns the output so far. */
  log(): string;
  readonly ended: Promise<{
    readonly exitCode: number | null;
    readonly outputs: Readonly<Record<string, string>>;
  }>;
}

interface Manifest {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly main: string };
}

/**
 * Starts a step as GitHub's runner does: with plain Node, only the Action's own files and no packages, and the runner's format of
 * inputs and event.
 */
export async function startAction(step: ActionStep): Promise<StartedAction> {
  const { directory, env, event } = step;
  const manifest: Manifest = parse(await readFile(join(step.action, "action.yml"), "utf8"));
  const main = await downloadAction(step.action, manifest, directory);
  const home = await mkdtemp(join(directory, "step-"));
  const workspace = step.workspace ?? home;
  const temporary = join(home, "temp");
  await mkdir(temporary);
  const file = async (name: string, content = "") => {
    await writeFile(join(home, name), content);
    return join(home, name);
  };
  const inputs = { ...defaultsOf(manifest, step.expressions), ...step.inputs };
  const child = spawn(process.execPath, [main], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "pipe"],
    ...(step.stop ? { signal: step.stop, killSignal: "SIGKILL" } : {}),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      GITHUB_ACTIONS: "true",
      GITHUB_EVENT_PATH: await file("event.json", JSON.stringify(event)),
      GITHUB_OUTPUT: await file("output"),
      GITHUB_STEP_SUMMARY: await file("summary.md"),
      GITHUB_WORKSPACE: workspace,
      RUNNER_TEMP: temporary,
      ...inputVariables(inputs),
      ...env,
    },
  });
  let written = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
  }
  const ended = once(child, "close").then(async ([exitCode]) => ({
    exitCode,
    outputs: parseOutputs(await readFile(join(home, "output"), "utf8")),
  }));
  return { child, home, inputs, log: () => written, ended };
}

/** Returns the inputs as the environment variables that the runner sets. */
function inputVariables(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
}

/** Copies the Action and returns the path of its script. Each step has its own copy, as each job has on GitHub. */
async function downloadAction(action: string, { runs }: Manifest, directory: string): Promise<string> {
  const copy = await mkdtemp(join(directory, "action-"));
  await mkdir(join(copy, dirname(runs.main)), { recursive: true });
  for (const path of ["package.json", runs.main]) await copyFile(join(action, path), join(copy, path));
  return join(copy, runs.main);
}

/** @throws Error for an expression without a value */
function defaultsOf(
  { inputs }: Manifest,
  expressions: Readonly<Record<string, string>>,
): Record<string, string> {
  const evaluate = (expression: string) => {
    const value = expressions[expression];
    if (value === undefined) throw new Error(`action.yml has the unknown expression ${expression}`);
    return value;
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { default: value = "" }]) => [
      name,
      value.replace(/^\$\{\{ (.*) \}\}$/, (_, expression) => evaluate(expression)),
    ]),
  );
}

function parseOutputs(text: string): Record<string, string> {
  const outputs = text.matchAll(/^([\w-]+)<<(ghadelimiter_\S+)\n([\s\S]*?)\n\2$/gm);
  return Object.fromEntries([...outputs].map(([, name = "", , value = ""]) => [name, value]));
}

interface JobPlace {
  readonly githubUrl: string;
  /** `owner/name` */
  readonly repository: string;
  readonly defaultBranch: string;
  /** The job's GitHub token. */
  readonly token: string;
}

/**
 * Builds the data that a step receives about its job: variables, the relevant part of the event, and contexts. `sha`: the commit
 * that is checked out.
 */
export function jobContext(job: FinishingJob, sha: string, { githubUrl, repository, ...place }: JobPlace) {
  const { pr, branch } = job;
  const about = { repository: { full_name: repository, default_branch: place.defaultBranch } };
  return {
    env: {
      GITHUB_ACTOR: "alice",
      GITHUB_API_URL: `${githubUrl}/api/v3`,
      GITHUB_SERVER_URL: githubUrl,
      GITHUB_REPOSITORY: repository,
      GITHUB_ACTION: "__trainyard_trainyard",
      GITHUB_WORKFLOW: job.workflow,
      GITHUB_JOB: job.job,
      GITHUB_RUN_ID: String(job.runId),
      GITHUB_RUN_ATTEMPT: String(job.runAttempt),
      GITHUB_SHA: sha,
      GITHUB_EVENT_NAME: pr === null ? "push" : "pull_request",
      GITHUB_REF: pr === null ? `refs/heads/${branch}` : `refs/pull/${pr}/merge`,
      GITHUB_REF_NAME: pr === null ? branch : `${pr}/merge`,
      GITHUB_REF_TYPE: "branch",
      GITHUB_HEAD_REF: pr === null ? "" : branch,
      RUNNER_OS: "Linux",
    },
    event: pr === null ? { ...about, after: sha } : { ...about, ...pullRequest(job, pr, repository, place) },
    expressions: {
      "github.token": place.token,
      "job.check_run_id": String(job.checkRunId),
      "toJSON(matrix)": JSON.stringify(job.leg === null ? null : { leg: job.leg }, null, 2),
    },
  };
}

function pullRequest(
  { sha, branch }: FinishingJob,
  number: number,
  repository: string,
  { defaultBranch }: Pick<JobPlace, "defaultBranch">,
) {
  const repo = { full_name: repository };
  const head = { sha, ref: branch, repo };
  return { number, pull_request: { number, head, base: { ref: defaultBranch, repo } } };
}

const run = promisify(execFile);
const identity = ["-c", "user.name=GitHub", "-c", "user.email=noreply@example.com"];

/**
 * Creates a checkout without files of the commit that a job tests; for a pull request, of its test merge. It uses the objects of
 * the bare repository. Returns its directory and the commit.
 */
export async function checkOut(
  { gitDirectory, sha, tree, pr }: Pick<FinishingJob, "gitDirectory" | "sha" | "tree" | "pr">,
  directory: string,
): Promise<{ readonly workspace: string; readonly commit: string }> {
  const workspace = await mkdtemp(join(directory, "checkout-"));
  const git = async (...args: string[]) =>
    (await run("git", [...identity, ...args], { cwd: workspace, env: gitEnvironment() })).stdout.trim();
  await git("init", "--quiet");
  await writeFile(join(workspace, ".git/objects/info/alternates"), `${join(gitDirectory, "objects")}\n`);
  const commit = pr === null ? sha : await git("commit-tree", tree, "-p", sha, "-m", "Test merge");
  await git("update-ref", "--no-deref", "HEAD", commit);
  return { workspace, commit };
}
