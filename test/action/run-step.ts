import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "@jest/globals";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const build = join(root, "scripts/build.ts");

let fresh: Promise<unknown> | null = null;

/** Rejects when `dist/` is not what the sources make. Looks once for each file of tests. */
function requireFreshBundle(): Promise<unknown> {
  // From elsewhere, because it must not matter where a build runs.
  fresh ??= promisify(execFile)(process.execPath, [build, "--check=dist"], { cwd: "/" });
  return fresh;
}

export interface StepSettings {
  readonly inputs: Readonly<Record<string, string>>;
  /** The environment of the step, such as `env:` in a workflow gives it. */
  readonly env?: Readonly<Record<string, string>>;
  readonly event?: object;
  /** What the expressions in defaults of inputs are, such as `toJSON(matrix)`. Default: as in a job without a matrix. */
  readonly expressions?: Readonly<Record<string, string>>;
  readonly workspace?: string;
  /** What else must stand nowhere, besides its being hidden. */
  readonly secrets?: () => readonly string[];
}

/** The files of the Action in a directory of their own, as the runner downloads them: without `node_modules`. */
async function downloadAction(directory: string): Promise<string> {
  const action = await mkdtemp(join(directory, "action-"));
  await mkdir(join(action, "dist"));
  for (const file of ["package.json", "dist/index.js"]) await copyFile(join(root, file), join(action, file));
  return join(action, readManifest().runs.main);
}

export interface Surroundings extends StepSettings {
  /** Where the runner's files go. */
  readonly directory: string;
  readonly githubUrl: string;
  readonly repository: string;
  readonly githubToken: string;
}

export interface StepEnd {
  readonly exitCode: number | null;
  /** Without the commands that hide secrets. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly annotations: readonly { level: string; title: string; message: string }[];
}

/** A step under way. */
export interface StepRun {
  readonly child: ChildProcess;
  /** What it has written so far. */
  log(): string;
  /** Resolves when it has ended. Rejects when a secret stands in anything that it wrote. */
  readonly ended: Promise<StepEnd>;
}

/** Runs the bundle as GitHub's runner does: with the inputs and their defaults, the event and the files of a step. */
export async function startStep(surroundings: Surroundings): Promise<StepRun> {
  const { directory, githubUrl, githubToken, repository, workspace } = surroundings;
  const { event = {}, env = {}, secrets: others = () => [] } = surroundings;
  await requireFreshBundle();
  const home = await mkdtemp(join(directory, "step-"));
  const temporary = join(home, "temp");
  await mkdir(temporary);
  const file = async (name: string, content = "") => {
    await writeFile(join(home, name), content);
    return join(home, name);
  };
  const expressions = { "github.token": githubToken, "toJSON(matrix)": "null", "job.check_run_id": "" };
  const inputs = { ...defaults({ ...expressions, ...surroundings.expressions }), ...surroundings.inputs };
  const child = spawn(process.execPath, [await downloadAction(directory)], {
    cwd: workspace ?? home,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      GITHUB_ACTIONS: "true",
      GITHUB_ACTOR: "alice",
      GITHUB_API_URL: `${githubUrl}/api/v3`,
      GITHUB_EVENT_PATH: await file("event.json", JSON.stringify(event)),
      GITHUB_OUTPUT: await file("output"),
      GITHUB_REPOSITORY: repository,
      GITHUB_RUN_ID: "4711",
      GITHUB_SERVER_URL: githubUrl,
      GITHUB_STEP_SUMMARY: await file("summary.md"),
      GITHUB_WORKSPACE: workspace ?? home,
      RUNNER_TEMP: temporary,
      ACTIONS_RUNTIME_TOKEN: "the-runner's-own",
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
  const secrets = [inputs["api-token"], inputs["github-token"]].filter((secret) => secret);
  const ended = once(child, "close").then(async ([exitCode]): Promise<StepEnd> => {
    const log = withoutLaterMasks(withoutMasks(written, secrets), others());
    const written_ = [log, ...(await contents(home, ["event.json"]))];
    for (const secret of [...secrets, ...others()])
      expect(written_.filter((text) => text.includes(String(secret)))).toEqual([]);
    return {
      exitCode,
      log,
      outputs: parseOutputs(await readFile(join(home, "output"), "utf8")),
      summary: await readFile(join(home, "summary.md"), "utf8"),
      annotations: parseAnnotations(log),
    };
  });
  // A test that fails before it awaits the end is to fail for its own reason.
  ended.catch(() => {});
  return { child, log: () => written, ended };
}

/** Inputs as the runner hands them over. */
export function inputVariables(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
}

export interface ActionManifest {
  readonly inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  readonly outputs: Record<string, { description: string }>;
  readonly runs: { using: string; main: string };
}

export function readManifest(): ActionManifest {
  return parse(readFileSync(join(root, "action.yml"), "utf8"));
}

/** @throws Error for an expression that has no value. */
function defaults(expressions: Readonly<Record<string, string>>): Record<string, string> {
  const evaluate = (expression: string) => {
    const value = expressions[expression];
    if (value === undefined) throw new Error(`action.yml has the unknown expression ${expression}`);
    return value;
  };
  return Object.fromEntries(
    Object.entries(readManifest().inputs).map(([name, { default: value = "" }]) => [
      name,
      value.replace(/^\$\{\{ (.*) \}\}$/, (_, expression) => evaluate(expression)),
    ]),
  );
}

/** The commands that hide a secret: of one with dots, also its long parts. */
function masksOf(secret: string | undefined): string[] {
  const parts = secret?.includes(".") ? secret.split(".").filter(({ length }) => length >= 24) : [];
  return [secret, ...parts].map((hidden) => `::add-mask::${hidden}`);
}

/** The log without the commands that hide the secrets, which have to come before everything else. */
function withoutMasks(written: string, secrets: readonly (string | undefined)[]): string {
  const lines = written.split("\n");
  const masks = secrets.flatMap(masksOf);
  expect(lines.slice(0, masks.length)).toEqual(masks);
  return lines.slice(masks.length).join("\n");
}

/** The log without the commands that hide what came to be known on the way. */
function withoutLaterMasks(log: string, secrets: readonly string[]): string {
  const masks = secrets.flatMap(masksOf);
  expect(log.split("\n")).toEqual(expect.arrayContaining(masks));
  return log
    .split("\n")
    .filter((line) => !masks.includes(line))
    .join("\n");
}

/** Everything below a directory, file by file. */
async function contents(directory: string, except: readonly string[]): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !except.includes(entry.name));
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")));
}

function parseOutputs(text: string): Record<string, string> {
  const outputs = text.matchAll(/^([\w-]+)<<(ghadelimiter_\S+)\n([\s\S]*?)\n\2$/gm);
  return Object.fromEntries([...outputs].map(([, name = "", , value = ""]) => [name, value]));
}

function parseAnnotations(log: string): StepEnd["annotations"] {
  return [...log.matchAll(/^::(notice|warning|error) title=(.*?)::(.*)$/gm)].map(
    ([, level = "", title = "", message = ""]) => ({
      level,
      title: decodeURIComponent(title),
      message: decodeURIComponent(message),
    }),
  );
}
