import { type ChildProcess, execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "@jest/globals";
import { parse } from "yaml";
import { startAction } from "../../tools/sandbox/runner/start-action.ts";

const root = join(import.meta.dirname, "../..");
const build = join(root, "scripts/build.ts");

let fresh: Promise<unknown> | null = null;

/** Rejects when `dist/` is not the current build of the sources. In a whole run, `bundle.test.ts` shows that. */
async function requireFreshBundle(): Promise<void> {
  if (process.env.TRAINYARD_TESTS !== "all") return;
  // The build runs in another directory, because its output must not depend on the working directory.
  fresh ??= promisify(execFile)(process.execPath, [build, "--check=dist"], { cwd: "/" });
  await fresh;
}

export interface StepSettings {
  readonly inputs: Readonly<Record<string, string>>;
  /** The step's environment, as `env:` in a workflow sets it. */
  readonly env?: Readonly<Record<string, string>>;
  readonly event?: object;
  /**
   * The values of expressions in the inputs' defaults, such as `toJSON(matrix)`. Default: as in a job without
   * a matrix.
   */
  readonly expressions?: Readonly<Record<string, string>>;
  readonly workspace?: string;
  /** More secrets that must be masked and must not appear in any output. */
  readonly secrets?: () => readonly string[];
}

export interface Surroundings extends StepSettings {
  /** The directory for the runner's files. */
  readonly directory: string;
  readonly githubUrl: string;
  readonly repository: string;
  readonly githubToken: string;
}

export interface StepEnd {
  readonly exitCode: number | null;
  /** The log without the commands that mask secrets. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly annotations: readonly { level: string; title: string; message: string }[];
}

/** A running step. */
export interface StepRun {
  readonly child: ChildProcess;
  /** Returns the log so far. */
  log(): string;
  /** Resolves when the step has ended. Rejects when anything that it wrote contains a secret. */
  readonly ended: Promise<StepEnd>;
}

/**
 * Runs the bundle as GitHub's runner does: with the inputs and their defaults, the event and the files of a
 * step.
 */
export async function startStep(surroundings: Surroundings): Promise<StepRun> {
  const { directory, githubUrl, githubToken, repository, workspace } = surroundings;
  const { event = {}, env = {}, secrets: others = () => [] } = surroundings;
  await requireFreshBundle();
  const step = await startAction({
    ...{ action: root, directory, workspace, event, inputs: surroundings.inputs },
    expressions: {
      ...{ "github.token": githubToken, "toJSON(matrix)": "null", "job.check_run_id": "" },
      ...surroundings.expressions,
    },
    env: {
      GITHUB_ACTOR: "alice",
      GITHUB_API_URL: `${githubUrl}/api/v3`,
      GITHUB_REPOSITORY: repository,
      GITHUB_RUN_ID: "4711",
      GITHUB_SERVER_URL: githubUrl,
      ACTIONS_RUNTIME_TOKEN: "the-runner's-own",
      ...env,
    },
  });
  const { child, home, inputs } = step;
  const secrets = [inputs["api-token"], inputs["github-token"]].filter((secret) => secret);
  const ended = step.ended.then(async ({ exitCode, outputs }): Promise<StepEnd> => {
    const log = withoutLaterMasks(withoutMasks(step.log(), secrets), others());
    const written_ = [log, ...(await contents(home, ["event.json"]))];
    for (const secret of [...secrets, ...others()])
      expect(written_.filter((text) => text.includes(String(secret)))).toEqual([]);
    return {
      exitCode,
      log,
      outputs,
      summary: await readFile(join(home, "summary.md"), "utf8"),
      annotations: parseAnnotations(log),
    };
  });
  // A test that fails before it awaits the end must fail with its own error, not with an unhandled rejection.
  ended.catch(() => {});
  return { child, log: step.log, ended };
}

export interface ActionManifest {
  readonly inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  readonly outputs: Record<string, { description: string }>;
  readonly runs: { using: string; main: string };
}

export function readManifest(): ActionManifest {
  return parse(readFileSync(join(root, "action.yml"), "utf8"));
}

/** The commands that mask a secret. If it contains dots, its long parts are masked, too. */
function masksOf(secret: string | undefined): string[] {
  const parts = secret?.includes(".") ? secret.split(".").filter(({ length }) => length >= 24) : [];
  return [secret, ...parts].map((hidden) => `::add-mask::${hidden}`);
}

/** Returns the log without the commands that mask the secrets. Fails unless the log begins with them. */
function withoutMasks(written: string, secrets: readonly (string | undefined)[]): string {
  const lines = written.split("\n");
  const masks = secrets.flatMap(masksOf);
  expect(lines.slice(0, masks.length)).toEqual(masks);
  return lines.slice(masks.length).join("\n");
}

/** Returns the log without the commands that mask secrets which became known during the step. */
function withoutLaterMasks(log: string, secrets: readonly string[]): string {
  const masks = secrets.flatMap(masksOf);
  expect(log.split("\n")).toEqual(expect.arrayContaining(masks));
  return log
    .split("\n")
    .filter((line) => !masks.includes(line))
    .join("\n");
}

/** Returns the contents of all files below a directory. */
async function contents(directory: string, except: readonly string[]): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !except.includes(entry.name));
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")));
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
