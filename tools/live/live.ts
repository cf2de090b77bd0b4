import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { CodeHostError, toCodeHostError } from "../../src/github/client/code-host-error.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { flag, number, option, readOptions, text } from "../command-options.ts";
import { allClaims } from "./all-claims.ts";
import { type LiveCredentials, LiveRefusal, marker } from "./connect.ts";

import { countOutcomes, renderReport, reportAsJson } from "./render-report.ts";
import { type LiveReport, runLive } from "./run-live.ts";

const usage = `Usage: npm run live -- --repository OWNER/NAME [options]

Asks a real GitHub what the sandbox claims about it (docs/explanation/sandbox-fidelity.md), and says what differs. It uses the App of the
environment (APP_ID, PRIVATE_KEY, GHE_HOST), as \`trainyard serve\` does.

It creates branches, pull requests, comments, check runs and rulesets, and deletes them at the end, also when it fails or is
stopped by Ctrl-C. It never touches what it has not created. GitHub deletes no pull requests: these stay, closed.
To allow it, commit an empty file ${marker} to the repository's default branch.

  --repository OWNER/NAME  a repository that is there for nothing else
  --api-url URL            another GitHub than the environment's, such as http://127.0.0.1:4000/api/v3
  --pause MS               between requests that change something (default 1000: GitHub's advice)
  --patience SECONDS       for what GitHub does in its own time, such as starting workflows (default 60)
  --only TEXT              only claims whose id has the text
  --json                   print the report as JSON

Exit code: 0 when nothing differs, 1 when something differs or could not be deleted, 2 when it was refused or the command is
wrong, 130 when it was stopped.`;

/** Null = it is missing. Nothing is done without it. */
const repository = option(null, (given) => {
  const [, owner, repo] = /^([\w.-]+)\/([\w.-]+)$/.exec(given) ?? [];
  return owner && repo ? { owner, repo } : null;
});
const amount = (initial: number) => number(initial, "a number that is not below 0", (value) => value >= 0);

const options = {
  repository,
  apiUrl: text(null),
  pause: amount(1_000),
  patience: amount(60),
  only: text(""),
  json: flag,
};

/** `trainyard live`. Returns the exit code. */
export async function live(
  argv: readonly string[],
  stop: AbortSignal,
  environment: Readonly<Record<string, string | undefined>> | null = null,
): Promise<number> {
  const asked = readOptions(argv, { name: "live", usage, options });
  if (typeof asked === "number") return asked;
  const { repository, pause: pauseMs, patience } = asked;
  if (!repository)
    return complain(
      'Name a repository: --repository OWNER/NAME. "trainyard live --help" says what happens to it.',
    );
  const credentials = readCredentials(environment ?? ownEnvironment(), asked.apiUrl);
  if (typeof credentials === "string") return complain(credentials);
  const run = `${new Date().toISOString().slice(2, 16).replaceAll(/\D/g, "")}-${randomBytes(3).toString("hex")}`;
  const claims = allClaims.filter(({ id }) => id.includes(asked.only));
  if (claims.length === 0)
    return complain(`No claim has "${asked.only}" in its id: see docs/how-to/live.md.`);
  try {
    const tell = (line: string) => console.error(line);
    const report = await runLive({
      repository,
      pauseMs,
      patienceMs: patience * 1_000,
      credentials,
      claims,
      run,
      stop,
      tell,
    });
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

function ownEnvironment() {
  if (existsSync(".env")) loadEnvFile(".env");
  return process.env;
}

/** Returns the credentials, or a description of what is wrong with them. */
function readCredentials(
  environment: Readonly<Record<string, string | undefined>>,
  apiUrl: string | null,
): LiveCredentials | string {
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
