import { once } from "node:events";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseFaultPlan } from "./faults/fault-plan.ts";
import { openFirstPull } from "./open-first-pull.ts";
import type { Sandbox, SandboxRepository } from "./sandbox.ts";
import { startSandbox } from "./start-sandbox.ts";
import type { Role } from "./world/permission.ts";

export interface Streams {
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
