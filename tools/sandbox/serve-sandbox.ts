import { once } from "node:events";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseFaultPlan } from "./faults/fault-plan.ts";
import { findGitProblem, findPortProblem } from "./find-obstacle.ts";
import type { Sandbox, SandboxRepository } from "./sandbox.ts";
import { startSandbox } from "./start-sandbox.ts";
import type { Role } from "./world/account.ts";

interface Streams {
  out: NodeJS.WritableStream;
  err: NodeJS.WritableStream;
}

const DEFAULT_WEBHOOK_URL = "http://127.0.0.1:3000/api/github/webhooks";
const DEFAULT_CI_DURATION_MS = 2000;

const users: Record<string, Role> = { alice: "write", bob: "write", carol: "read", admin: "admin" };

const files = {
  "README.md": "# Widgets\n\nA repository to try the merge queue on.\n",
  "notes.txt": "Change me.\n",
  "facts/base.json": `${JSON.stringify({ sets: ["base"], forbids: [] }, null, 2)}\n`,
};

export const usage = `Usage: npm run sandbox -- [options]

Serves a local GitHub with one repository and four people, until Ctrl-C.

  --port N             where it listens (default: a port that is free)
  --webhook-url URL    where webhooks go (default ${DEFAULT_WEBHOOK_URL})
  --ci-duration MS     how long CI takes at most (default ${DEFAULT_CI_DURATION_MS})
  --seed N             decides how long CI takes (default 1)
  --faults FILE        a plan by which calls of the App fail (JSON)
  --json               no explanation, only the line of JSON on standard output
  --help               print this`;

export const options = {
  port: { type: "string" },
  json: { type: "boolean", default: false },
  "webhook-url": { type: "string", default: DEFAULT_WEBHOOK_URL },
  seed: { type: "string" },
  faults: { type: "string" },
  "ci-duration": { type: "string", default: String(DEFAULT_CI_DURATION_MS) },
} as const;

type Arguments = ReturnType<typeof parseArguments>;

/** @throws an error that says what is wrong */
export function parseArguments(argv: readonly string[]) {
  const { values } = parseArgs({ args: [...argv], options });
  const number = (name: "port" | "seed" | "ci-duration"): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}"`);
    return Number(text);
  };
  if (Number(values.port) > 65_535) throw new Error("--port must be a whole number from 0 to 65535.");
  const port = number("port");
  const seed = number("seed");
  return {
    isJson: values.json,
    ciDuration: number("ci-duration") ?? DEFAULT_CI_DURATION_MS,
    options: {
      webhookUrl: values["webhook-url"],
      ...(port === undefined ? {} : { port }),
      ...(seed === undefined ? {} : { seed }),
      ...(values.faults === undefined ? {} : { faults: parseFaultPlan(readFileSync(values.faults, "utf8")) }),
    },
  };
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
    "npm start",
    "",
    "Create the queue, in a third terminal. Then comment /trainyard merge on the pull request:",
    `npm run -s trainyard -- queue create ${repository.fullName}@main`,
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
  { options, isJson, ciDuration }: Arguments,
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
  const { host, url, env } = sandbox;
  const aliceToken = people[0]?.token ?? "";
  const pullRequest = await openFirstPull(`${url}/api/v3/repos/${repository.fullName}`, aliceToken);
  const description = {
    url,
    users: people.map(({ login, token, permission }) => ({ login, token, permission })),
    repository: { host, owner: repository.owner, name: repository.name },
    gitUrl: repository.gitUrl,
    pullRequest,
    env,
  };
  out.write(`${JSON.stringify(description)}\n`);
  if (!isJson) err.write(explain(sandbox, repository, aliceToken, pullRequest));
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

type RenderOptionProblem = (error: unknown, command: string, known: readonly string[]) => string;

/** `trainyard sandbox`: serves the local GitHub alone until it is stopped. Returns the exit code. */
export async function sandbox(
  argv: readonly string[],
  stop: AbortSignal,
  renderOptionProblem: RenderOptionProblem,
): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  let parsed: ReturnType<typeof parseArguments>;
  try {
    parsed = parseArguments(argv);
  } catch (error) {
    return refuse(renderOptionProblem(error, "sandbox", Object.keys(options)));
  }
  const { port = 0 } = parsed.options;
  const problem = (await findGitProblem()) ?? (port === 0 ? null : await findPortProblem(port));
  if (problem !== null) return refuse(problem);
  await serveSandbox(parsed, { out: process.stdout, err: process.stderr }, stop);
  return 0;
}

function refuse(problem: string): number {
  console.error(problem);
  return 2;
}
