import { parseArgs } from "node:util";
import { type AnswerOf, ApiError, createClient, NetworkError, type RequestOf } from "../../client/client.ts";
import { renderOptionProblem } from "../../command/option-problem.ts";
import { Tokens } from "../../service/access/tokens.ts";
import { readDatabaseUrl } from "../../settings/database-url.ts";
import { parseSettings } from "../../settings/settings.ts";
import { openStore } from "../../store/sqlite/open-store.ts";
import { loadEnvFile } from "../load-env-file.ts";
import { unsetDatabaseProblem } from "../named-database.ts";
import { ownAddress } from "../own-address.ts";
import { renderDiagnosis } from "../render-diagnosis.ts";

const usage = `Usage: trainyard queue create OWNER/NAME@BRANCH [--concurrency N] [--mode single|parallel] [--url URL] [--json]

Creates the queue of a branch. The service has to run. It is asked at HOST and PORT of the environment, or at --url, with a
token that is valid for this call only and is written to the database in DATABASE_URL.
--concurrency is the number of tests at once. All settings can be changed later: see docs/how-to/configuring.md.

Exit code: 0 without errors, 1 when no queue was created or errors keep it from working, 2 when the command is wrong.`;

const tokenMs = 60_000;

type NewQueue = RequestOf<"createQueue">;

/** `trainyard queue`: creates a queue, without an API token and without knowledge of the API. */
export async function queue(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const [verb, ...rest] = argv;
  if (verb?.startsWith("-")) return complain(renderOptionProblem(`Unknown option '${verb}'`, "queue", []));
  if (verb !== "create")
    return complain(verb === undefined ? "A subcommand is missing." : `There is no "queue ${verb}".`);
  loadEnvFile();
  const unset = unsetDatabaseProblem(process.env);
  if (unset !== null) return fail(unset);
  const settings = parseSettings(process.env);
  if ("issues" in settings)
    return fail(settings.issues.map(({ variable, problem }) => `${variable} ${problem}`).join("\n"));
  const asked = parse(rest, settings.settings.github.host);
  if (typeof asked === "string") return complain(asked);
  const baseUrl = asked.url ?? ownAddress(process.env);
  try {
    const created = await withToken(asked.queue.repo.owner, (token) =>
      createClient({ baseUrl, token }).createQueue(asked.queue),
    );
    console.log(
      asked.json ? JSON.stringify(created) : render(asked.queue, created, settings.settings.commandPrefix),
    );
    return hasErrors(created) ? 1 : 0;
  } catch (error) {
    if (error instanceof ApiError) return fail(error.detail);
    if (error instanceof NetworkError) return fail(`${error.message} Start the service: trainyard serve`);
    throw error;
  }
}

interface Asked {
  readonly queue: NewQueue;
  readonly url: string | null;
  readonly json: boolean;
}

const options = {
  concurrency: { type: "string" },
  mode: { type: "string" },
  url: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** Returns what to create, or what is wrong with the arguments. */
function parse(args: readonly string[], host: string): Asked | string {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    const [place, ...more] = positionals;
    if (place === undefined)
      return 'Which branch? Name it, such as "trainyard queue create acme/widgets@main".';
    if (more.length > 0) return `Only one queue can be created at a time: leave out ${more.join(", ")}.`;
    const [, owner, name, targetBranch] = /^([\w.-]+)\/([\w.-]+)@(.+)$/.exec(place) ?? [];
    if (!owner || !name || !targetBranch) return `"${place}" is not of the form OWNER/NAME@BRANCH.`;
    const { concurrency, mode, url = null, json } = values;
    if (concurrency !== undefined && !/^[1-9]\d{0,8}$/.test(concurrency))
      return "--concurrency must be a whole number, at least 1.";
    if (mode !== undefined && mode !== "single" && mode !== "parallel")
      return "--mode must be single or parallel.";
    const queue: NewQueue = {
      repo: { host, owner, name },
      targetBranch,
      ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
      ...(mode === undefined ? {} : { mode }),
    };
    return { queue, url, json };
  } catch (error) {
    return renderOptionProblem(error, "queue", Object.keys(options));
  }
}

/** Creates a token, calls with it, and revokes it. */
async function withToken<T>(organisation: string, call: (token: string) => Promise<T>): Promise<T> {
  const store = await openStore(readDatabaseUrl(process.env));
  try {
    const tokens = new Tokens(store.tokens, { now: () => Date.now() });
    const expiresAt = Date.now() + tokenMs;
    const name = "trainyard queue";
    const { token, record } = await tokens.create({ organisation, name, scopes: ["admin"], expiresAt });
    try {
      return await call(token);
    } finally {
      await tokens.revoke(record.id);
    }
  } finally {
    await store.close();
  }
}

function render(
  { repo, targetBranch }: NewQueue,
  created: AnswerOf<"createQueue">,
  commandPrefix: string,
): string {
  const { concurrency, warnings, findings, unexamined } = created;
  const name = `${repo.owner}/${repo.name}@${targetBranch}`;
  const tests = concurrency === 1 ? "one test" : `${concurrency} tests`;
  const isExamined = findings.length + unexamined.length > 0;
  return [
    hasErrors(created)
      ? `The queue of ${name} was created, but it cannot work yet.`
      : `The queue of ${name} is ready, with up to ${tests} at once.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(isExamined ? ["", renderDiagnosis(name, { findings, unexamined }), ""] : []),
    hasErrors(created)
      ? `Fix the errors; \`trainyard doctor ${name}\` examines it again.`
      : `Comment \`${commandPrefix} merge\` on a pull request to queue it.`,
  ].join("\n");
}

function hasErrors({ findings }: AnswerOf<"createQueue">): boolean {
  return findings.some(({ severity }) => severity === "error");
}

function fail(message: string): number {
  console.error(message);
  return 1;
}

function complain(problem: string): number {
  const help = `"trainyard queue --help" shows how it is used.`;
  console.error(problem.includes("--help") ? problem : `${problem} ${help}`);
  return 2;
}
