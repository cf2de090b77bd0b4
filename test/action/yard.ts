import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { freePort } from "../../src/cli/free-port.ts";
import { ApiError, createClient, type RequestOf, type TrainyardClient } from "../../src/client/client.ts";
import { Tokens } from "../../src/service/access/tokens.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { createOctokit } from "../../tools/lab/demo/authors.ts";
import { LocalRepository } from "../../tools/lab/local-repository.ts";
import { ServiceProcess } from "../../tools/lab/service/service-process.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { startHere } from "../scenarios/stage-service.ts";
import { type StepRun, type StepSettings, startStep } from "./run-step.ts";

const repository = { owner: "acme", name: "widgets" };
const files = { "README.md": "# Widgets\n", "facts/base.json": '{"sets":["base"]}\n' };
const checks = ["build", "test"];

export interface OpenedPull {
  readonly number: number;
  readonly headSha: string;
}

/** A local GitHub with a repository, a real service for it, and the environment of a workflow. */
export interface Yard {
  readonly sandbox: Sandbox;
  readonly client: TrainyardClient;
  readonly queue: { repo: { host: string; owner: string; name: string }; targetBranch: string };
  readonly url: string;
  /** May read, submit, and upload test results. */
  readonly token: string;
  /** May do everything. */
  readonly adminToken: string;
  /** A token like that of a job with `checks: write`. */
  readonly githubToken: string;
  /** A clone with the whole history. */
  readonly workspace: string;
  readonly local: LocalRepository;
  readonly asAlice: Octokit;
  /** A directory for this test run. */
  readonly directory: string;
  /** Opens a pull request with one commit. Resolves after CI has reported on it. */
  open(name: string, changed: Record<string, string>): Promise<OpenedPull>;
  /** Pushes to the base branch despite its protection. */
  pushToBase(changed: Record<string, string>): Promise<void>;
  /** Creates a check run, as GitHub does for a job. */
  createCheckRun(name: string, headSha: string): Promise<{ readonly id: number }>;
  submit(pr: number): Promise<void>;
  state(pr: number): Promise<string | null>;
  configure(changes: Partial<RequestOf<"updateQueue">>): Promise<void>;
  /** Starts a step in a workflow on `pull_request`. */
  start(pull: OpenedPull, settings: StepSettings): Promise<StepRun>;
  /** Kills the service, as a power cut would, and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param isProcess whether the service runs in a process of its own, so that it can be killed */
export async function startYard(
  settings: Readonly<Record<string, string>> = {},
  isProcess = false,
): Promise<Yard> {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-action-"));
  const sandbox = await startSandbox({ seed: 7 });
  const alice = sandbox.createUser({ login: "alice", permission: "write" });
  const admin = sandbox.createUser({ login: "admin", permission: "admin" });
  const requiredChecks = checks.map((context) => ({ context, appId: sandbox.ciAppId }));
  const { gitUrl } = await sandbox.createRepository({
    ...repository,
    files,
    protection: { requiredChecks, enforceAdmins: false },
    ci: { checks, durationMs: [5, 15] },
  });
  const databaseUrl = `sqlite:${join(directory, "trainyard.db")}`;
  const variables = { ...environment(sandbox, await freePort(), databaseUrl), ...settings };
  const [token, adminToken] = await issueTokens(databaseUrl);
  const own = isProcess ? new ServiceProcess(variables, join(directory, "service.log")) : null;
  await own?.start();
  const service = own ?? (await startHere({ ...variables, LOG_LEVEL: "silent" }, undefined));
  sandbox.setWebhookUrl(`${service.url}/api/github/webhooks`);
  const workspace = join(directory, "workspace");
  const local = await LocalRepository.clone(gitUrl, workspace, alice);
  const asAdmin = await LocalRepository.clone(gitUrl, join(directory, "admin"), admin);
  const asAlice = createOctokit(sandbox.url, alice.token);
  const client = createClient({
    baseUrl: service.url,
    token: adminToken,
    retry: { attempts: 5 },
    timeoutMs: 180_000,
  });
  const queue = { repo: { host: sandbox.host, ...repository }, targetBranch: "main" };
  await client.createQueue({ ...queue, concurrency: 3 });
  const githubToken = await installationToken(sandbox);
  const asJob = createOctokit(sandbox.url, githubToken);
  const at = { owner: repository.owner, repo: repository.name };

  const state: Yard["state"] = async (pr) => {
    try {
      return (await client.getSubmittedPullRequest({ ...queue, pr: { number: pr } })).state;
    } catch (error) {
      if (error instanceof ApiError && error.code === "NEVER_SUBMITTED") return null;
      throw error;
    }
  };

  return {
    sandbox,
    client,
    queue,
    url: service.url,
    token,
    adminToken,
    githubToken,
    workspace,
    local,
    asAlice,
    directory,
    state,
    async open(name, changed) {
      await local.branch(name, "origin/main", changed, name);
      await local.push(name);
      const { data } = await asAlice.rest.pulls.create({
        owner: repository.owner,
        repo: repository.name,
        base: "main",
        head: name,
        title: `Title of ${name}`,
      });
      await sandbox.settled();
      return { number: data.number, headSha: data.head.sha };
    },
    async pushToBase(changed) {
      // history() is the only call that fetches.
      await asAdmin.history("main");
      await asAdmin.branch("main", "origin/main", changed, "Change the base");
      await asAdmin.push("main");
      await sandbox.settled();
    },
    async createCheckRun(name, head_sha) {
      const { data } = await asJob.rest.checks.create({ ...at, name, head_sha, status: "in_progress" });
      return data;
    },
    async submit(number) {
      await client.submitPullRequest({ ...queue, pr: { number } });
    },
    async configure(changes) {
      await client.updateQueue({ ...queue, ...changes });
    },
    start: (pull, settings) =>
      startStep({
        directory,
        githubUrl: sandbox.url,
        repository: `${repository.owner}/${repository.name}`,
        githubToken,
        workspace,
        event: pullRequestEvent(pull),
        ...settings,
        inputs: { "api-url": service.url, "api-token": token, ...settings.inputs },
      }),
    async restart() {
      if (own === null) throw new Error("the service has no process of its own");
      await own.kill();
      await own.start();
    },
    async close() {
      await ("close" in service ? service.close() : service.stop());
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The part of the event `pull_request` that the Action reads. */
export function pullRequestEvent({ number, headSha }: OpenedPull, headRepository = "acme/widgets"): object {
  return {
    action: "synchronize",
    pull_request: {
      number,
      head: { sha: headSha, ref: "topic", repo: { full_name: headRepository } },
      base: { ref: "main", repo: { full_name: "acme/widgets" } },
    },
    repository: { full_name: "acme/widgets", default_branch: "main" },
  };
}

/** Asks until a condition holds: often at first, ten times a second later. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let pauseMs = 20; !(await holds()); pauseMs = Math.min(pauseMs * 1.2, 100)) await sleep(pauseMs);
}

async function installationToken(sandbox: Sandbox): Promise<string> {
  const { id: appId, privateKey } = sandbox.app;
  const asApp = new Octokit({
    baseUrl: `${sandbox.url}/api/v3`,
    authStrategy: createAppAuth,
    auth: { appId, privateKey },
  });
  const { data } = await asApp.rest.apps.getRepoInstallation({ owner: "acme", repo: "widgets" });
  const issued = await asApp.rest.apps.createInstallationAccessToken({ installation_id: data.id });
  return issued.data.token;
}

async function issueTokens(databaseUrl: string): Promise<[string, string]> {
  const store = await openStore(databaseUrl);
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  const owned = { organisation: repository.owner, expiresAt: null };
  const [workflow, admin] = await Promise.all([
    tokens.create({ ...owned, name: "workflow", scopes: ["read", "submit", "tests:upload"] }),
    tokens.create({ ...owned, name: "admin", scopes: ["admin"] }),
  ]);
  await store.close();
  return [workflow.token, admin.token];
}

function environment(sandbox: Sandbox, port: number, databaseUrl: string): Record<string, string> {
  return {
    ...sandbox.env,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TRAINYARD_PUBLIC_URL: `http://127.0.0.1:${port}`,
    LOG_FORMAT: "json",
    TRAINYARD_RECONCILE_MS: "1000",
    TRAINYARD_PUBLISH_MS: "200",
    TRAINYARD_MERGEABILITY_MS: "40",
    TRAINYARD_LEASE_MS: "5000",
  };
}
