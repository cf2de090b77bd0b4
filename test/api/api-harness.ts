import { randomBytes, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { ParsingThread } from "../../src/api/bodies/parsing-thread.ts";
import { type EndpointName, endpoints, pathOf } from "../../src/api/endpoints.ts";
import { createHttpServer } from "../../src/api/http-server.ts";
import { requireAppManifest } from "../../src/cli/app-manifest.ts";
import { wireApi } from "../../src/cli/wiring/wire-edges.ts";
import { connectWorld, type World, wireService } from "../../src/cli/wiring/wire-service.ts";
import type { Service } from "../../src/service/create-service.ts";
import { parseSettings, type Settings } from "../../src/settings/settings.ts";
import type { WorkflowTokenSettings } from "../../src/settings/workflow-token-settings.ts";
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
const noAccess = { permissions: {}, events: [] };

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
  /** Stops the service's clock, which then only {@link elapse} advances. */
  stopClock(): void;
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

/** Settings of the service, and how it differs from the one that people start. */
interface ApiOptions extends Partial<Settings> {
  readonly ci?: Partial<CiSettings>;
  readonly workflowTokens?: (WorkflowTokenSettings & { readonly cooldownMs?: number }) | null;
  /** The minimum duration of a rejected request with a fork's run. */
  readonly refuseAfterMs?: number;
  readonly appManifest?: string;
  /** Wraps the store between the service and its database. */
  readonly through?: (store: Store) => Store;
}

/** Starts the API over real HTTP, with a real database, the real service and a local GitHub. */
export async function startApi({
  ci = {},
  refuseAfterMs = 0,
  appManifest,
  logLevel = "debug",
  through = (store) => store,
  ...changed
}: ApiOptions = {}): Promise<Api> {
  const sandbox = await startSandbox(appManifest === undefined ? {} : { appManifest });
  const { host } = sandbox;
  const repository = { owner, name, files: { "README.md": "# Widgets\n" } };
  const { directory } = await sandbox.createRepository({ ...repository, ci: { durationMs: [5, 15], ...ci } });
  const logged: string[] = [];
  const log = pino({ level: logLevel }, { write: (line: string) => void logged.push(line) });
  const opened = through(await openStore(":memory:"));
  let probe = () => opened.ready();
  const store = { ...opened, ready: () => probe() };
  let clockAhead = 0;
  let stoppedAt: number | null = null;
  const clock = { now: () => (stoppedAt ?? Date.now()) + clockAhead };
  const parsed = parseSettings({ ...sandbox.env, TRAINYARD_SCRATCH_BRANCH_PREFIX: "trainyard-scratch/" });
  if ("issues" in parsed || !parsed.settings.app) throw new Error(JSON.stringify(parsed));
  const settings: Settings = {
    ...parsed.settings,
    ...{ requestsPerSecond: null, workflowTokens: null, webhooksAllowPrivate: true, webhookPorts: null },
    ...{ publishMs: 10, mergeabilityMs: 10, leaseMs: 30_000, reconcileMs: 50 },
    encryptionKeys: [randomBytes(32)],
    ...changed,
  };
  const { app: credentials } = parsed.settings;
  const manifest = requireAppManifest();
  const ids = { next: randomUUID };
  const world: World = {
    ...connectWorld({ settings, credentials, manifest, store, clock, ids, log }),
    appCheck: { ask: async () => null, known: () => ({ app: null, wanted: noAccess, fault: null }) },
  };
  const service = wireService(world);
  const parsing = new ParsingThread(new URL("../../src/cli/parsing-worker.js", import.meta.url));
  const app = createHttpServer({ ...settings, log });
  await app.register(wireApi(world, { service, parsing, botToken, refuseAfterMs }));
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
    stopClock: () => {
      stoppedAt = Date.now();
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
