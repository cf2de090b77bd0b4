import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CodeHostError, toCodeHostError } from "../../src/github/client/code-host-error.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { allClaims } from "./all-claims.ts";
import { marker } from "./check-consent.ts";
import type { LiveCredentials } from "./connect.ts";
import { LiveRefusal } from "./live-refusal.ts";
import { countOutcomes, renderReport, reportAsJson } from "./render-report.ts";
import { type LiveReport, runLive } from "./run-live.ts";

const about = `Asks a real GitHub what the sandbox claims about it (docs/explanation/sandbox-fidelity.md), and says what differs. It uses the App of the
environment (APP_ID, PRIVATE_KEY, GHE_HOST), as \`trainyard serve\` does.

It creates branches, pull requests, comments, check runs and rulesets, and deletes them at the end, also when it fails or is
stopped by Ctrl-C. It never touches what it has not created. GitHub deletes no pull requests: these stay, closed.
To allow it, commit an empty file ${marker} to the repository's default branch.

Also 1 when something differs or could not be deleted, 2 when it was refused, 130 when it was stopped.`;

type Environment = Readonly<Record<string, string | undefined>>;

interface Asked {
  readonly repository: { readonly owner: string; readonly repo: string };
  readonly apiUrl: string | null;
  readonly pauseMs: number;
  readonly patienceMs: number;
  readonly only: string;
  readonly json: boolean;
}

/**
 * Adds the options of `trainyard live`, and what it does.
 *
 * @param prepare prepares this process, and returns what aborts when it is stopped; null = it could not, and said why
 * @param environment replaces that of this process
 */
export function defineLive(
  command: Command,
  prepare: () => AbortSignal | null,
  environment?: Environment,
): void {
  command
    .addOption(
      new Option("--repository <owner/name>", "a repository that is there for nothing else")
        .makeOptionMandatory()
        .argParser(readRepository),
    )
    .option("--api-url <url>", "another GitHub than the environment's, such as http://127.0.0.1:4000/api/v3")
    .option("--pause <ms>", "between requests that change something: GitHub's advice", readAmount, 1_000)
    .option(
      "--patience <seconds>",
      "for what GitHub does in its own time, such as starting workflows",
      readAmount,
      60,
    )
    .option("--only <text>", "only claims whose id has the text", "")
    .option("--json", "print the report as JSON")
    .addHelpText("after", `\n${about}`)
    .action(async ({ patience, pause: pauseMs, apiUrl = null, json = false, ...rest }) => {
      const stop = prepare();
      const asked = { ...rest, apiUrl, json, pauseMs, patienceMs: patience * 1_000 };
      process.exitCode = stop ? await live(asked, stop, environment ?? ownEnvironment()) : 2;
    });
}

/** Returns the exit code. */
async function live(asked: Asked, stop: AbortSignal, environment: Environment): Promise<number> {
  const credentials = readCredentials(environment, asked.apiUrl);
  if (typeof credentials === "string") return complain(credentials);
  const run = `${new Date().toISOString().slice(2, 16).replaceAll(/\D/g, "")}-${randomBytes(3).toString("hex")}`;
  const claims = allClaims.filter(({ id }) => id.includes(asked.only));
  if (claims.length === 0)
    return complain(`No claim has "${asked.only}" in its id: see docs/how-to/live.md.`);
  try {
    const tell = (line: string) => console.error(line);
    const report = await runLive({ ...asked, credentials, claims, run, stop, tell });
    console.log(asked.json ? JSON.stringify(reportAsJson(report), null, 2) : renderReport(report));
    return stop.aborted ? 130 : exitCodeOf(report);
  } catch (error) {
    if (stop.aborted) return complain("Stopped before anything was created.");
    if (!(error instanceof LiveRefusal)) {
      const failure = toCodeHostError(error);
      if (!(failure instanceof CodeHostError)) throw error;
      return complain(`GitHub refused before anything was created: ${failure.message}`);
    }
    if (asked.json) console.log(JSON.stringify({ refused: { code: error.code, message: error.message } }));
    return complain(`${error.code}: ${error.message}`);
  }
}

/** An object that could not be deleted is a failure, too. */
function exitCodeOf(report: LiveReport): number {
  return countOutcomes(report).differs > 0 || report.left.length > 0 ? 1 : 0;
}

function readRepository(text: string): Asked["repository"] {
  const [, owner, repo] = /^([\w.-]+)\/([\w.-]+)$/.exec(text) ?? [];
  if (owner && repo) return { owner, repo };
  throw new InvalidArgumentError("It must be OWNER/NAME.");
}

function readAmount(text: string): number {
  const amount = Number(text);
  if (text !== "" && Number.isFinite(amount) && amount >= 0) return amount;
  throw new InvalidArgumentError("It must be a number that is not below 0.");
}

function ownEnvironment() {
  if (existsSync(".env")) loadEnvFile(".env");
  return process.env;
}

/** Returns the credentials, or a description of what is wrong with them. */
function readCredentials(environment: Environment, apiUrl: string | null): LiveCredentials | string {
  const parsed = parseSettings(environment);
  if ("issues" in parsed)
    return parsed.issues.map(({ variable, problem }) => `${variable} ${problem}`).join("\n");
  const { app, github } = parsed.settings;
  if (!app)
    return "APP_ID and PRIVATE_KEY are missing: set the credentials of a GitHub App, as for `trainyard serve`.";
  return { appId: app.id, privateKey: app.privateKey, apiUrl: apiUrl ?? github.apiUrl };
}

function complain(problem: string): number {
  console.error(problem);
  return 2;
}
