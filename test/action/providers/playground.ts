import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { startStep } from "../run-step.ts";
import { pullRequestEvent } from "../yard.ts";
import type { PullRequest, Scenario } from "./scenario.ts";

const run = promisify(execFile);
const recordings = join(import.meta.dirname, "recorded");
const identity = { NAME: "Alice", EMAIL: "alice@example.com", DATE: "1700000000 +0000" };

/** Where the real tools are installed; empty to use recordings instead. */
export const realTools = process.env.TRAINYARD_REAL_TOOLS ?? "";

/** A repository as actions/checkout leaves it. */
export interface Playground {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  /** Commits a pull request on top of the base, and checks it out. Returns the head SHA. */
  propose(changed: PullRequest["changed"]): Promise<string>;
  /** Commits on top of the current checkout. Returns the commit's SHA. */
  commit(changed: PullRequest["changed"]): Promise<string>;
  /** Returns the sorted impacted targets, or why everything is impacted. */
  impact(
    inputs: Record<string, string>,
    headSha: string,
    change: PullRequest,
  ): Promise<readonly string[] | string>;
  close(): Promise<void>;
}

export async function createPlayground(
  { files, tool, name = "" }: Scenario,
  env: Readonly<Record<string, string>> = {},
): Promise<Playground> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "trainyard-provider-")));
  const workspace = join(directory, "workspace");
  const tools = join(directory, "tools");
  await mkdir(workspace);
  await mkdir(tools);
  if (tool !== null) await installTool(tools, tool);
  const environment = {
    ...machineEnvironment(),
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) =>
        Object.entries(identity).map(([what, value]) => [`GIT_${who}_${what}`, value]),
      ),
    ),
    PATH: `${tools}${delimiter}${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    TOOL_RECORDING: join(recordings, `${tool}.json`),
    TOOL_ROOT: workspace,
    TOOL_REAL: realTools,
    GIT_CONFIG_GLOBAL: join(directory, "no-configuration"),
    ...env,
  };
  const git = async (...args: string[]) =>
    (await run("git", args, { cwd: workspace, env: environment })).stdout.trim();
  const commit = async (changed: PullRequest["changed"]) => {
    for (const [path, content] of Object.entries(changed)) {
      if (content === null) await git("rm", "--quiet", path);
      else await write(join(workspace, path), content);
    }
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message=x");
    return git("rev-parse", "HEAD");
  };

  await git("init", "--quiet", ".");
  const base = await commit(files);
  await git("update-ref", "refs/remotes/origin/main", base);

  return {
    workspace,
    env: environment,
    commit,
    async propose(changed) {
      await git("checkout", "--quiet", "--detach", base);
      return commit(changed);
    },
    async impact(inputs, headSha, { what, rules = "" }) {
      const step = await startStep({
        directory,
        workspace,
        githubUrl: "https://github.com",
        githubToken: "",
        repository: "acme/widgets",
        event: pullRequestEvent({ number: 12, headSha }),
        inputs: {
          command: "impacted-targets",
          "api-url": "https://trainyard.example.org",
          "dry-run": "true",
          "targets-paths": rules,
          ...inputs,
        },
        env: {
          ...environment,
          TOOL_CHANGE: `${name} ${what}`.trim(),
          TOOL_SIDES: JSON.stringify({
            base: { sha: base, name: "base" },
            head: { sha: headSha, name: "head" },
          }),
        },
      });
      const { outputs, log } = await step.ended;
      const targets = (await readFile(outputs.targets ?? "", "utf8")).split("\n").filter(Boolean);
      if (outputs["targets-count"] !== "ALL") return targets.sort();
      return decodeURIComponent(/Would post, for head \w+, ALL: (.*)\.$/m.exec(log)?.[1] ?? log);
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/**
 * The environment without the variables of the runner that runs these tests and of Jest, which would mislead
 * the step and the build tools.
 */
function machineEnvironment(): Record<string, string> {
  const known = Object.entries(process.env).filter(
    ([name]) => !/^(GITHUB|RUNNER|INPUT|ACTIONS|NODE)_/.test(name),
  );
  return Object.fromEntries(known.map(([name, value = ""]) => [name, value]));
}

/**
 * Installs a program of that name into a directory of the PATH. It repeats the recorded answers of the build
 * tool.
 */
export async function installTool(directory: string, tool: string): Promise<void> {
  const path = join(directory, tool);
  await copyFile(join(import.meta.dirname, "tool.mjs"), `${path}.mjs`);
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${path}.mjs" "$@"\n`);
  await chmod(path, 0o755);
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
