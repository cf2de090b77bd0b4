import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Authenticator, appKey } from "./auth/authenticator.ts";
import { OAuth } from "./auth/oauth.ts";
import { Background } from "./background.ts";
import { ContinuousIntegration } from "./ci/continuous-integration.ts";
import { Reporters } from "./ci/reporters.ts";
import { appControls, repositoryControls } from "./controls.ts";
import { Faults } from "./faults/faults.ts";
import { GitHttp } from "./git-http/git-http.ts";
import { GraphqlApi } from "./graphql/graphql-api.ts";
import { type Surface, serveRequest, startHttpServer } from "./http-server.ts";
import { CallLimits, LoopDelay } from "./limits/call-limits.ts";
import { Pages } from "./pages/pages.ts";
import { RequestLog, type Violation } from "./request-log.ts";
import { RestApi } from "./rest/rest-api.ts";
import { Urls } from "./rest/urls.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { announceTo } from "./webhooks/announce.ts";
import { Hook } from "./webhooks/hook.ts";
import { readAppManifest } from "./world/account.ts";
import { registerApp, registerCiApp } from "./world/installations.ts";
import { Past } from "./world/past.ts";
import { watchAutoMerges } from "./world/pulls/auto-merge.ts";
import { type Delays, World } from "./world/world.ts";

const DEFAULT_DELAYS: Delays = { mergeability: 20, indirectMerge: 30, asyncMerge: 40 };
const DEFAULT_MANIFEST = fileURLToPath(new URL("../../app.yml", import.meta.url));

/** Starts a sandbox. Rejects if the port is taken or the manifest is unreadable. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 1, webhooks = {}, appManifest = DEFAULT_MANIFEST } = options;
  const enterprise = options.enterpriseVersion ?? null;
  const callsPerHour = options.callsPerHour ?? 1_000_000;
  const violations: Violation[] = [];
  const report = (violation: Violation) => {
    violations.push(violation);
  };
  const reportFailure = (error: unknown) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report({ kind: "background", subject: "background", detail });
  };
  const background = new Background(reportFailure);
  const world = new World(seed, background, { ...DEFAULT_DELAYS, ...options.delays });
  const key = await appKey();
  const app = registerApp(world, readAppManifest(appManifest));
  const ciApp = registerCiApp(world);
  const authenticator = new Authenticator(app, key, () => world.now());
  const log = new RequestLog();
  const faults = new Faults(seed, options.faults);
  const loopDelay = new LoopDelay();
  const limits = new CallLimits(options.contentLimits ?? null, report, () => loopDelay.longestMs);
  const past = new Past(world);
  const webhookSecret = randomBytes(20).toString("hex");
  const clientSecret = randomBytes(20).toString("hex");

  let visitor: string | null = null;
  let surface: Surface | undefined;
  const server = await startHttpServer(
    options.port ?? 0,
    async (request, response) => {
      const served = surface;
      if (served === undefined) return void response.writeHead(503).end();
      await background.hold(() => serveRequest(served, request, response));
    },
    reportFailure,
  );

  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "trainyard-sandbox-")));
  const host = `127.0.0.1:${server.port}`;
  const urls = new Urls(`http://${host}`);
  const hook = new Hook({
    ...{ app, secret: webhookSecret, host, enterprise, seed, faults: webhooks, background },
    nextId: () => world.nextId(),
    now: () => world.now(),
  });
  hook.url = options.webhookUrl ?? null;
  const ofBothApis = { world, urls, authenticator, faults, limits, past, log, report, enterprise };
  surface = {
    git: new GitHttp({ world, urls, authenticator, log }),
    graphql: new GraphqlApi(ofBothApis),
    oauth: new OAuth({ world, app, clientSecret, authenticator, visitor: () => visitor }),
    pages: new Pages(world, server.port),
    rest: new RestApi({ ...ofBothApis, hook, callsPerHour }),
  };
  world.subscribe(announceTo({ world, urls, app, hook, report }));
  const ci = new ContinuousIntegration(world, ciApp, options.runners ?? Number.POSITIVE_INFINITY);
  world.subscribe((event) => ci.receive(event));
  const reporters = new Reporters(world);
  world.subscribe((event) => reporters.receive(event));
  watchAutoMerges(world);

  return {
    url: urls.base,
    host,
    app: { id: app.id, slug: app.slug, clientId: app.clientId, privateKey: key.privateKey, webhookSecret },
    ciAppId: ciApp.id,
    env: {
      APP_ID: String(app.id),
      PRIVATE_KEY: key.privateKey,
      WEBHOOK_SECRET: webhookSecret,
      GITHUB_CLIENT_ID: app.clientId,
      GITHUB_CLIENT_SECRET: clientSecret,
      GHE_HOST: host,
      GHE_PROTOCOL: "http",
    },
    requests: log,
    delays: world.delays,
    deliveries: hook.deliveries,
    faults,
    limits,
    violations,

    createUser({ login, permission, id }) {
      if (world.account(login) !== null) throw new Error(`the login ${login} is taken`);
      const account = world.ensureAccount(login, login.endsWith("[bot]") ? "Bot" : "User", id);
      if (permission !== undefined) world.setDefaultRole(account, permission);
      return { login, id: account.id, token: authenticator.issueUserToken(account) };
    },

    setPermission(login, permission) {
      world.setDefaultRole(world.ensureAccount(login, "User"), permission);
    },

    deleteUser(login) {
      world.deleteAccount(login);
    },

    signInAs(login) {
      visitor = login;
    },

    setWebhookUrl(url) {
      hook.url = url;
    },

    ...repositoryControls({ world, app, ciApp, urls, background, directory, seed }),
    ...appControls(world, app),

    settled: () => background.whenIdle(),

    async close() {
      loopDelay.stop();
      hook.close();
      faults.close();
      await server.close();
      await background.close();
      await Promise.all(world.everyRepository.map((repository) => repository.git.close()));
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
