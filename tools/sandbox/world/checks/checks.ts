import { type Account, type App, grants } from "../account.ts";
import { covers } from "../installations.ts";
import type { Repository } from "../repository.ts";
import type { World } from "../world.ts";
import {
  type CheckConclusion,
  type CheckRun,
  type CheckSuite,
  type CommitStatus,
  summarizeSuite,
} from "./check.ts";

interface SuiteOrigin {
  sha: string;
  branch: string | null;
  before?: string | null;
}

/** Adds a suite to a commit. A normal App has one suite for each commit; GitHub Actions has one for each workflow run. */
export function addSuite(world: World, repository: Repository, app: App, origin: SuiteOrigin): CheckSuite {
  const now = world.now();
  const suite: CheckSuite = {
    id: world.nextId(),
    app,
    headSha: origin.sha,
    headBranch: origin.branch,
    before: origin.before ?? null,
    runs: [],
    endedAs: null,
    createdAt: now,
    updatedAt: now,
  };
  repository.suites.set(origin.sha, [...repository.suitesOf(origin.sha), suite]);
  repository.suitesById.set(suite.id, suite);
  return suite;
}

/** Returns the suite of an App on a commit. Creates it if necessary. */
export function ensureSuite(world: World, repository: Repository, app: App, sha: string): CheckSuite {
  const existing = repository.suitesOf(sha).find((suite) => suite.app === app);
  if (existing !== undefined) return existing;
  const [branch] = repository.git.refs.pointingAt(sha, "refs/heads/");
  return addSuite(world, repository, app, { sha, branch: branch?.slice("refs/heads/".length) ?? null });
}

/**
 * Creates a suite for each installed App with write access to checks, and requests it. GitHub does so for every push.
 * https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks#about-check-suites
 */
export async function requestSuites(
  world: World,
  repository: Repository,
  { sha, branch, before, sender }: SuiteOrigin & { sender: Account },
): Promise<void> {
  for (const installation of world.installations) {
    const { app, permissions, suspendedAt } = installation;
    if (!covers(installation, repository) || suspendedAt !== null) continue;
    if (!grants(permissions, "checks", "write")) continue;
    if (repository.suitesOf(sha).some((suite) => suite.app === app)) continue;
    const suite = addSuite(world, repository, app, { sha, branch, before: before ?? null });
    await world.emit({ type: "check_suite", repository, sender, suite, action: "requested" });
  }
}

export type CheckRunFields = Omit<CheckRun, "id" | "suite">;

/** Returns the initial fields of a run. */
export const newRun = (name: string, startedAt: Date): CheckRunFields => ({
  name,
  status: "queued",
  conclusion: null,
  startedAt,
  completedAt: null,
  externalId: null,
  detailsUrl: null,
  output: { title: null, summary: null, text: null, annotations: [] },
});

export async function createRun(
  world: World,
  repository: Repository,
  suite: CheckSuite,
  fields: CheckRunFields,
): Promise<CheckRun> {
  const run: CheckRun = { ...fields, id: world.nextId(), suite };
  suite.runs.push(run);
  repository.runs.set(run.id, run);
  suite.updatedAt = world.now();
  const sender = suite.app.bot;
  await world.emit({ type: "check_run", repository, sender, run, action: "created" });
  if (run.status === "completed") await announceCompletion(world, repository, run);
  return run;
}

export async function updateRun(
  world: World,
  repository: Repository,
  run: CheckRun,
  fields: Partial<CheckRunFields>,
): Promise<void> {
  const before = run.conclusion;
  Object.assign(run, fields);
  run.suite.updatedAt = world.now();
  if (run.status === "completed" && run.conclusion !== before)
    await announceCompletion(world, repository, run);
}

async function announceCompletion(world: World, repository: Repository, run: CheckRun): Promise<void> {
  const { suite } = run;
  const sender = suite.app.bot;
  await world.emit({ type: "check_run", repository, sender, run, action: "completed" });
  if (summarizeSuite(suite).status === "completed") {
    await world.emit({ type: "check_suite", repository, sender, suite, action: "completed" });
  }
}

/** Ends a suite without check runs, and emits its completion. */
export async function endSuite(
  world: World,
  repository: Repository,
  suite: CheckSuite,
  conclusion: CheckConclusion,
): Promise<void> {
  suite.endedAs = conclusion;
  suite.updatedAt = world.now();
  await world.emit({ type: "check_suite", repository, sender: suite.app.bot, suite, action: "completed" });
}

export async function createStatus(
  world: World,
  repository: Repository,
  fields: Omit<CommitStatus, "id" | "createdAt">,
): Promise<CommitStatus> {
  const status: CommitStatus = { ...fields, id: world.nextId(), createdAt: world.now() };
  repository.statuses.set(status.sha, [...repository.statusesOf(status.sha), status]);
  await world.emit({ type: "status", repository, sender: status.creator, status });
  return status;
}
