import { existsSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import type { TrainyardClient } from "../../client/client.ts";
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
import { useProxies } from "../proxies.ts";
import { CallImpossible } from "../remote/credentials.ts";
import { onOrganisation, placeOf, secretFor, withAddress } from "../remote/service.ts";
import { renderDiagnosis } from "../render-diagnosis.ts";

interface Asked {
  readonly owner: string;
  readonly name: string;
  /** Null = the default branch. */
  readonly branch: string | null;
}

interface Options {
  readonly url?: string;
  readonly json?: true;
}

interface Examined {
  readonly branch: string;
  readonly diagnosis: Diagnosis;
}

/** Adds the options of `trainyard doctor`, and what it does. */
export function defineDoctor(command: Command): void {
  withAddress(command)
    .argument("<owner/name[@branch]>", "the repository; without a branch, its default branch", readPlace)
    .option("--json", "print the findings as JSON")
    .addHelpText(
      "after",
      `
Finds why the queue of a branch does not work, and says what to do. On the machine of the service, it reads GitHub with the
settings of the environment and of .env, and the queue's own settings from the database in DATABASE_URL, if there is one; the
service does not have to run. Elsewhere, those who have run \`trainyard login\`, or have TRAINYARD_TOKEN, ask the service.`,
    )
    .action((asked: Asked, options: Options) =>
      onOrganisation(options, async ({ client, print }) => {
        // Before `.env` is read: that of a checkout must not name where a token of the environment goes.
        const mayAsk = secretFor(options) !== undefined;
        loadEnvFile();
        const found = await examineHere(asked, mayAsk);
        const { branch, diagnosis } = found ?? (await askService(asked, client));
        const name = `${asked.owner}/${asked.name}@${branch}`;
        print({ queue: name, ...visible(diagnosis) }, () => [renderDiagnosis(name, diagnosis)]);
        return isBad(diagnosis) ? "foundErrors" : "done";
      }),
    );
}

function readPlace(text: string): Asked {
  const [, owner, name, branch] = /^([\w.-]+)\/([\w.-]+)(?:@(.+))?$/.exec(text) ?? [];
  if (!owner || !name)
    throw new InvalidArgumentError("It is not of the form OWNER/NAME or OWNER/NAME@BRANCH.");
  return { owner, name, branch: branch ?? null };
}

/** Null when this is not the machine of the service, which then has to be asked. @throws CallImpossible when it cannot be */
async function examineHere(asked: Asked, mayAsk: boolean): Promise<Examined | null> {
  const parsed = parseSettings(process.env);
  if ("issues" in parsed)
    throw new CallImpossible(
      parsed.issues.map(({ variable, problem }) => `${variable} ${problem}`).join("; "),
    );
  const { settings } = parsed;
  if (!settings.app) {
    if (mayAsk) return null;
    throw new CallImpossible(
      "APP_ID, PRIVATE_KEY and WEBHOOK_SECRET are missing: start `trainyard serve` to get an App. Elsewhere than on the machine of the service, run `trainyard login`, or set TRAINYARD_TOKEN.",
    );
  }
  const log = createLog({ logLevel: "error", logFormat: settings.logFormat });
  if (!useProxies(log)) throw new CallImpossible("GitHub cannot be called through this proxy.");
  return examine(asked, settings, settings.app, log);
}

async function askService({ owner, name, branch }: Asked, client: TrainyardClient): Promise<Examined> {
  const place = placeOf({ repo: `${owner}/${name}`, ...(branch === null ? {} : { branch }) });
  return { branch: place.targetBranch, diagnosis: await client.examineQueue(place) };
}

async function examine(
  asked: Asked,
  settings: Settings,
  { id: appId, privateKey }: AppSettings,
  log: Log,
): Promise<Examined> {
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
