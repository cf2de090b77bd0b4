import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type FaultPlan, parseFaultPlan } from "./faults/fault-plan.ts";
import { findGitProblem, findPortProblem } from "./find-obstacle.ts";
import type { Sandbox, SandboxRepository } from "./sandbox.ts";
import { startSandbox } from "./start-sandbox.ts";
import type { Role } from "./world/account.ts";

interface Streams {
  out: NodeJS.WritableStream;
  err: NodeJS.WritableStream;
}

const formatVersion = 1;
const DEFAULT_WEBHOOK_URL = "http://127.0.0.1:3000/api/github/webhooks";
const DEFAULT_CI_DURATION_MS = 2000;

const users: Record<string, Role> = { alice: "write", bob: "write", carol: "read", admin: "admin" };

const files = {
  "README.md": "# Widgets\n\nA repository to try the merge queue on.\n",
  "notes.txt": "Change me.\n",
  "facts/base.json": `${JSON.stringify({ sets: ["base"], forbids: [] }, null, 2)}\n`,
};

export interface ServeSandboxOptions {
  readonly port: number;
  readonly webhookUrl: string;
  readonly ciDuration: number;
  readonly seed?: number;
  readonly faults?: FaultPlan;
  readonly json?: true;
}

/** Runs a command until it ends or is stopped. Returns the exit code. */
type Runner = (run: (stop: AbortSignal) => Promise<number>) => Promise<number>;

/** Adds the options of `trainyard sandbox`, and what it does. */
export function defineSandbox(command: Command, runner: Runner): void {
  command
    .addOption(
      new Option("--port <n>", "where it listens").argParser(readPort).default(0, "a port that is free"),
    )
    .option("--webhook-url <url>", "where webhooks go", DEFAULT_WEBHOOK_URL)
    .option("--ci-duration <ms>", "how long CI takes at most", readWhole, DEFAULT_CI_DURATION_MS)
    .option("--seed <n>", "decides how long CI takes (default: 1)", readWhole)
    .option("--faults <file>", "a plan by which calls of the App fail (JSON)", readFaults)
    .option("--json", "no explanation, only the line of JSON on standard output")
    .addHelpText("after", "\nServes a local GitHub with one repository and four people, until Ctrl-C.")
    .action(async (options: ServeSandboxOptions) => {
      process.exitCode = await runner((stop) => sandbox(options, stop));
    });
}

function readWhole(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

function readPort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 65535.");
}

function readFaults(file: string): FaultPlan {
  try {
    return parseFaultPlan(readFileSync(file, "utf8"));
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function explain(
  sandbox: Sandbox,
  repository: SandboxRepository,
  aliceToken: string,
  pullRequest: string,
): string {
  const clone = repository.gitUrl.replace("//", `//alice:${aliceToken}@`);
  const environment = Object.entries(sandbox.env).map(([name, value]) => `export ${name}=${quote(value)}`);
  return [
    `A GitHub of your own listens at ${sandbox.url}`,
    "",
    "Its first pull request, on which you can comment as any of its people:",
    `  ${pullRequest}`,
    "",
    `Clone its repository ${repository.fullName} as alice:`,
    `  git clone ${clone}`,
    "",
    "Start the service against it, in another terminal:",
    ...environment,
    "npx trainyard serve",
    "",
    "Create the queue, in a third terminal. Then comment /trainyard merge on the pull request:",
    `npx trainyard queue create ${repository.fullName}@main`,
    "",
    "Ctrl-C ends it.",
    "",
  ].join("\n");
}

/**
 * Runs a sandbox with an organisation, a protected repository, and users, until `stop` aborts. When it listens, it writes one
 * line of JSON to `out`, and, without `--json`, an explanation to `err`. Rejects if the port is taken.
 */
export async function serveSandbox(
  { ciDuration, json, ...options }: ServeSandboxOptions,
  { out, err }: Streams,
  stop: AbortSignal,
): Promise<void> {
  const sandbox = await startSandbox(options);
  const people = Object.entries(users).map(([login, permission]) => ({
    ...sandbox.createUser({ login, permission }),
    permission,
  }));
  const appId = sandbox.ciAppId;
  const repository = await sandbox.createRepository({
    owner: "acme",
    name: "widgets",
    files,
    protection: {
      requiredChecks: [
        { context: "build", appId },
        { context: "test", appId },
      ],
    },
    ci: { durationMs: [ciDuration / 2, ciDuration] },
  });
  sandbox.setMembership(repository.owner, "admin", { role: "admin", state: "active" });
  const { host, url, env } = sandbox;
  const aliceToken = people[0]?.token ?? "";
  const pullRequest = await openFirstPull(`${url}/api/v3/repos/${repository.fullName}`, aliceToken);
  const description = {
    formatVersion,
    url,
    users: people.map(({ login, token, permission }) => ({ login, token, permission })),
    repository: { host, owner: repository.owner, name: repository.name },
    gitUrl: repository.gitUrl,
    pullRequest,
    env,
  };
  out.write(`${JSON.stringify(description)}\n`);
  if (!json) err.write(explain(sandbox, repository, aliceToken, pullRequest));
  if (!stop.aborted) await once(stop, "abort");
  await sandbox.close();
}

/** The pull request that a new sandbox has, so that there is something to merge. */
const first = {
  branch: "better-notes",
  title: "Improve the notes",
  path: "notes.txt",
  content: "Changed by the first pull request.\n",
};

/**
 * Opens a pull request as a user, by the REST API.
 * @param api the address of the repository in the API
 * @returns the address of its page
 * @throws Error when the API refuses a call
 */
async function openFirstPull(api: string, token: string): Promise<string> {
  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(`${api}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
  const { branch, title, path, content } = first;
  const { commit } = await call<{ commit: { sha: string } }>("/branches/main");
  const tree = [{ path, content, mode: "100644", type: "blob" }];
  const { sha: treeSha } = await call<{ sha: string }>("/git/trees", { base_tree: commit.sha, tree });
  const change = { message: title, tree: treeSha, parents: [commit.sha] };
  const { sha } = await call<{ sha: string }>("/git/commits", change);
  await call("/git/refs", { ref: `refs/heads/${branch}`, sha });
  const pull = await call<{ html_url: string }>("/pulls", { title, head: branch, base: "main" });
  return pull.html_url;
}

/** Serves the local GitHub alone until it is stopped. Returns the exit code. */
async function sandbox(options: ServeSandboxOptions, stop: AbortSignal): Promise<number> {
  const { port } = options;
  const problem = (await findGitProblem()) ?? (port === 0 ? null : await findPortProblem(port));
  if (problem !== null) {
    const failure = { formatVersion, code: "CANNOT_START", detail: problem };
    console.error(options.json ? JSON.stringify(failure) : problem);
    return 2;
  }
  await serveSandbox(options, { out: process.stdout, err: process.stderr }, stop);
  return 0;
}
