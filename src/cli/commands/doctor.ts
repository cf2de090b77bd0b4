import { existsSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { evolve } from "../../engine/evolve.ts";
import { noQueue, type QueueState, type RepositoryRef } from "../../engine/model/queue.ts";
import { AppClient } from "../../github/client/app-client.ts";
import { GitHubCodeHost } from "../../github/github-code-host.ts";
import { allExaminations, type Diagnosis, Doctor } from "../../service/doctor/doctor.ts";
import { knownOf, ownBranchNames } from "../../service/queues/queue-doctor.ts";
import { sameRepository } from "../../service/runtime/directory.ts";
import type { AppSettings } from "../../settings/app-settings.ts";
import { parseSettings, type Settings } from "../../settings/settings.ts";
import { findDamage } from "../../store/sqlite/damage-watch.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { openRecordings } from "../../store/sqlite/open-recordings.ts";
import { readAppManifest } from "../app-manifest.ts";
import { doctorSettings } from "../doctor-settings.ts";
import { loadEnvFile } from "../load-env-file.ts";
import { createLog, type Log } from "../log.ts";
import { printJson } from "../print-json.ts";
import { useProxies } from "../proxies.ts";
import { renderDiagnosis } from "../render-diagnosis.ts";

interface Asked {
  readonly owner: string;
  readonly name: string;
  /** Null = the default branch. */
  readonly branch: string | null;
}

/** Adds the options of `trainyard doctor`, and what it does. */
export function defineDoctor(command: Command): void {
  command
    .argument("<owner/name[@branch]>", "the repository; without a branch, its default branch", readPlace)
    .option("--json", "print the findings as JSON")
    .addHelpText(
      "after",
      `
Finds why the queue of a branch does not work, and says what to do. It reads GitHub with the settings of the environment. The
service does not have to run. It reads the queue's own settings from the database in DATABASE_URL, if there is one.`,
    )
    .action(async (asked: Asked, { json = false }: { readonly json?: boolean }) => {
      process.exitCode = await doctor(asked, json);
    });
}

function readPlace(text: string): Asked {
  const [, owner, name, branch] = /^([\w.-]+)\/([\w.-]+)(?:@(.+))?$/.exec(text) ?? [];
  if (!owner || !name)
    throw new InvalidArgumentError("It is not of the form OWNER/NAME or OWNER/NAME@BRANCH.");
  return { owner, name, branch: branch ?? null };
}

async function doctor(asked: Asked, json: boolean): Promise<number> {
  loadEnvFile();
  const parsed = parseSettings(process.env);
  if ("issues" in parsed)
    return complain(parsed.issues.map(({ variable, problem }) => `${variable} ${problem}`).join("\n"));
  const { settings } = parsed;
  if (!settings.app)
    return complain(
      "APP_ID, PRIVATE_KEY and WEBHOOK_SECRET are missing: start `trainyard serve` to get an App.",
    );
  const log = createLog({ logLevel: "error", logFormat: settings.logFormat });
  if (!useProxies(log)) return 1;
  const { branch, diagnosis } = await examine(asked, settings, settings.app, log);
  const name = `${asked.owner}/${asked.name}@${branch}`;
  if (json) printJson({ queue: name, ...visible(diagnosis) });
  else console.log(renderDiagnosis(name, diagnosis));
  return isBad(diagnosis) ? 1 : 0;
}

async function examine(asked: Asked, settings: Settings, { id: appId, privateKey }: AppSettings, log: Log) {
  const read = readAppManifest();
  if (!("manifest" in read)) throw new Error(read.problem);
  const client = new AppClient({ appId, privateKey, apiUrl: settings.github.apiUrl }, log);
  const reader = new GitHubCodeHost(client, settings.scratchBranchPrefix);
  const repo = { host: settings.github.host, owner: asked.owner, name: asked.name };
  const branch = asked.branch ?? (await defaultBranch(reader, repo));
  const queue = await queueState(settings, repo, branch);
  const prefixes = { test: settings.testBranchPrefix, scratch: settings.scratchBranchPrefix };
  const patient = {
    repo,
    branch,
    ...knownOf(queue),
    ownBranches: ownBranchNames(prefixes, branch),
    ...doctorSettings(settings, read.manifest),
    databaseDamage: await databaseDamage(settings),
  };
  const clock = { now: () => Date.now() };
  const diagnosis = await new Doctor(reader, clock, log).examine(patient, allExaminations);
  return { branch, diagnosis };
}

/** If GitHub does not reveal the default branch, for example because the App is not installed, `main` is examined. The findings say why. */
async function defaultBranch(reader: GitHubCodeHost, repo: RepositoryRef): Promise<string> {
  try {
    const installationId = await reader.findInstallation(repo);
    const ownBranches = { testPrefix: "", test: "", scratch: "" };
    return (await reader.readFact("repository", { repo, branch: "", installationId, ownBranches }))
      .defaultBranch;
  } catch (error) {
    console.error(`The default branch is not known (${said(error)}); main is examined.`);
    return "main";
  }
}

/** Returns the state of the queue, or an empty one with the default settings when there is no queue yet. */
async function queueState(
  { databaseUrl }: Settings,
  repo: RepositoryRef,
  branch: string,
): Promise<QueueState> {
  try {
    const recordings = await openRecordings(databaseUrl);
    try {
      const queue = (await recordings.queues()).find(
        (one) => sameRepository(one.repo, repo) && one.branch === branch,
      );
      if (!queue) return noQueue;
      return (await recordings.events(queue.id)).reduce(evolve, noQueue);
    } finally {
      await recordings.close();
    }
  } catch (error) {
    console.error(`The queue's settings are not known (${said(error)}); the default ones are assumed.`);
    return noQueue;
  }
}

async function databaseDamage({ databaseUrl }: Settings): Promise<string | null> {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind !== "sqlite" || !existsSync(location.path)) return null;
  try {
    return await findDamage(location.path, "integrity_check");
  } catch (error) {
    console.error(`The database could not be searched for damage (${said(error)}).`);
    return null;
  }
}

function visible({ findings, unexamined }: Diagnosis) {
  return { findings: findings.map(({ isFatal: _, ...finding }) => finding), unexamined };
}

/** An examination that cannot query GitHub about the App must not count as passed. */
function isBad({ findings, unexamined }: Diagnosis): boolean {
  return (
    findings.some(({ severity }) => severity === "error") ||
    unexamined.some(({ code }) => code === "APP_CREDENTIALS_REFUSED")
  );
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function complain(problem: string): number {
  console.error(problem);
  return 1;
}
