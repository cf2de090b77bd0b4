import { randomBytes, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { apiPlugin } from "../../src/api/api-plugin.ts";
import { ParsingThread } from "../../src/api/bodies/parsing-thread.ts";
import { type EndpointName, endpoints, pathOf } from "../../src/api/endpoints.ts";
import { createHttpServer } from "../../src/api/http-server.ts";
import { requireAppManifest } from "../../src/cli/app-manifest.ts";
import { doctorSettings } from "../../src/cli/doctor-settings.ts";
import { readKeptReport } from "../../src/flaky/endpoints/decode-report.ts";
import { workflowTokenVerifier } from "../../src/github/access/workflow-tokens.ts";
import { AppClient } from "../../src/github/client/app-client.ts";
import { GitHubCodeHost } from "../../src/github/github-code-host.ts";
import { HttpWebhookPoster } from "../../src/receivers/http-webhook-poster.ts";
import { TokensAndOurBot } from "../../src/service/access/tokens.ts";
import { createService, type Service } from "../../src/service/create-service.ts";
import { SoleReplica } from "../../src/service/replicas/replicas.ts";
import type { TokenScope } from "../../src/store/access/token-store.ts";
import { openStore, type Store } from "../../src/store/sqlite/open-store.ts";
import type { CiSettings } from "../../tools/sandbox/ci/ci-settings.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { undocumented } from "./documented.ts";

/** The organisation and the repository that {@link startApi} creates. */
export const owner = "acme";
export const name = "widgets";

export const botToken = "the-bot's-own";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface Api {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly service: Service;
  readonly sandbox: Sandbox;
  /** The directory of the bare repository. */
  readonly directory: string;
  /** Everything that was logged, as JSON lines. */
  readonly logged: string[];
  /** The queue of `main`. It does not exist until a test creates it. */
  readonly queue: { repo: { host: string; owner: string; name: string }; targetBranch: string };
  /** Advances the service's clock. */
  elapse(ms: number): void;
  /** Stops the code host: later requests to it fail. */
  loseCodeHost(): Promise<void>;
  /** Closes the database: later reads and writes fail. */
  loseDatabase(): Promise<void>;
  /** Makes the readiness probe fail. */
  breakDatabase(): void;
  createToken(
    scopes: readonly TokenScope[],
    options?: { organisation?: string; ttlMs?: number },
  ): Promise<string>;
  /**
   * Posts JSON. By default with a token that has all scopes; headers can replace it. Throws when the API's
   * description does not document the response.
   */
  post(endpoint: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts the API over real HTTP, with a real database, the real service and a local GitHub. */
export async function startApi({
  requestsPerSecond = null,
  workflowTokens = null,
  ci = {},
  trustedProxies = [],
  corsOrigins = [],
  refuseAfterMs = 0,
  appManifest,
  logLevel = "debug",
  allowPrivate = true,
  encryptionKeys = [randomBytes(32)],
  through = (store) => store,
}: {
  requestsPerSecond?: number | null;
  /** The issuer whose workflow tokens are accepted. */
  workflowTokens?: { issuer: string; audience: string; keysUrl: string; cooldownMs?: number } | null;
  ci?: Partial<CiSettings>;
  trustedProxies?: readonly string[];
  corsOrigins?: readonly string[];
  /** The minimum duration of a rejected request with a fork's run. */
  refuseAfterMs?: number;
  appManifest?: string;
  logLevel?: "debug" | "silent";
  /** Whether webhooks may be sent to private addresses, such as this machine. */
  allowPrivate?: boolean;
  encryptionKeys?: readonly Buffer[];
  /** Wraps the store between the service and its database. */
  through?: (store: Store) => Store;
} = {}): Promise<Api> {
  const sandbox = await startSandbox(appManifest === undefined ? {} : { appManifest });
  const { host, app: githubApp } = sandbox;
  const repository = { owner, name, files: { "README.md": "# Widgets\n" } };
  const { directory } = await sandbox.createRepository({ ...repository, ci: { durationMs: [5, 15], ...ci } });
  const logged: string[] = [];
  const log = pino({ level: logLevel }, { write: (line: string) => void logged.push(line) });
  const store = through(await openStore(":memory:"));
  let clockAhead = 0;
  const clock = { now: () => Date.now() + clockAhead };
  const credentials = { appId: githubApp.id, privateKey: githubApp.privateKey };
  const client = new AppClient({ ...credentials, apiUrl: `${sandbox.url}/api/v3` }, log);
  const service = createService({
    stores: store,
    host: {
      name: host,
      api: new GitHubCodeHost(client, "trainyard-scratch/"),
      usage: () => client.meter.usage(),
    },
    poster: new HttpWebhookPoster({ allowPrivate }),
    readKept: readKeptReport,
    clock,
    ids: { next: randomUUID },
    log,
    replicas: new SoleReplica(),
    settings: {
      branches: { test: "trainyard-merge/", scratch: "trainyard-scratch/" },
      doctor: doctorSettings({ publicUrl: null, webhookPath: "/api/github/webhooks" }, requireAppManifest()),
      commandPrefix: "/trainyard",
      submitLabel: "trainyard:merge",
      publicPages: false,
      appPermissions: requireAppManifest().default_permissions,
      pace: { publishMs: 10, mergeabilityMs: 10 },
      leaseMs: 30_000,
      reconcileMs: 50,
      auditMs: 400 * 86_400_000,
      historyMs: 400 * 86_400_000,
      testRetentionMs: 45 * 86_400_000,
      pageUrl: () => null,
      testAddresses: {
        test: (repo, id) => `https://trainyard.example/tests/${repo.owner}/${repo.name}/${id}`,
        repository: (repo) => `https://${repo.host}/${repo.owner}/${repo.name}`,
      },
      encryptionKeys,
      process: "test-1",
      webhookRetentionMs: 7 * 86_400_000,
    },
  });
  const parsing = new ParsingThread(new URL("../../src/cli/parsing-worker.js", import.meta.url));
  let probe = () => store.ready();
  const app = createHttpServer({ log, trustedProxies, corsOrigins });
  const tokens = new TokensAndOurBot(service.tokens, botToken);
  await app.register(
    apiPlugin({
      queues: service.queues,
      tokens,
      verifyWorkflowToken: workflowTokens && workflowTokenVerifier({ ...workflowTokens, clock }),
      forkUploads: { runs: service.forkRuns, refuseAfterMs },
      audit: service.audit,
      idempotency: store.idempotency,
      metrics: service.metrics,
      organisationMetrics: service.organisationMetrics,
      commandTimes: service.commandTimes,
      tests: service.tests,
      bundles: service.bundles,
      quarantines: service.quarantines,
      servedHost: host,
      testRepositories: service.testRepositories,
      testSettings: service.testSettings,
      parsing,
      publicUrl: null,
      webhooks: service.webhooks,
      knownTests: service.knownTests,
      testedCommits: service.testedCommits,
      doctor: service.doctor,
      requestsPerSecond,
      countRequest: (key) => service.requestCounts.add(key),
      ready: () => probe(),
      appFault: async () => null,
      now: clock.now,
    }),
  );
  const url = await app.listen({ host: "127.0.0.1", port: 0 });

  async function createToken(
    scopes: readonly TokenScope[],
    { organisation = owner, ttlMs }: { organisation?: string; ttlMs?: number } = {},
  ): Promise<string> {
    const expiresAt = ttlMs === undefined ? null : clock.now() + ttlMs;
    return (await service.tokens.create({ organisation, name: "ci", scopes, expiresAt })).token;
  }

  let codeHostIsThere = true;
  async function loseCodeHost(): Promise<void> {
    if (codeHostIsThere) await sandbox.close();
    codeHostIsThere = false;
  }

  let databaseIsThere = true;
  async function loseDatabase(): Promise<void> {
    if (databaseIsThere) await store.close();
    databaseIsThere = false;
  }

  const allowed = await createToken(["admin"]);
  return {
    url,
    app,
    service,
    sandbox,
    logged,
    directory,
    queue: { repo: { host, owner, name }, targetBranch: "main" },
    elapse: (ms) => {
      clockAhead += ms;
    },
    loseCodeHost,
    loseDatabase,
    breakDatabase: () => {
      probe = () => Promise.reject(new Error("SQLITE_IOERR at /var/lib/secret.db"));
    },
    createToken,
    async post(endpoint, body, headers = {}) {
      const path = endpoint in endpoints ? pathOf(endpoint as EndpointName) : `/v1/${endpoint}`;
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-token": allowed, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const answer = JSON.parse(await response.text());
      const { status, headers: answered } = response;
      const fault = undocumented(path.replace(/\?.*$/, ""), {
        status,
        type: answered.get("content-type"),
        body: answer,
      });
      if (fault !== null) throw new Error(`${fault}; it is ${JSON.stringify(answer)}`);
      return { status: response.status, headers: response.headers, body: answer };
    },
    async close() {
      await app.close();
      await parsing.close();
      await service.stop();
      await loseDatabase();
      await loseCodeHost();
    },
  };
}
