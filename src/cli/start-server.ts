import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { apiPlugin } from "../api/api-plugin.ts";
import { webhookLanes } from "../api/bodies/body-lanes.ts";
import { readKeptReport } from "../api/bodies/decode-report.ts";
import { ParsingThread } from "../api/bodies/parsing-thread.ts";
import { readBody } from "../api/bodies/read-body.ts";
import { createHttpServer } from "../api/http-server.ts";
import { injectFetch } from "../api/inject-fetch.ts";
import { openApiDocument } from "../api/openapi/document.ts";
import { createBot } from "../bot/create-bot.ts";
import type { ReadDeliveryJob } from "../bot/deliveries/read-delivery.ts";
import { webhookRoute } from "../bot/deliveries/webhook-route.ts";
import { CommandPoller } from "../bot/events/poll-commands.ts";
import { schemaRoute } from "../bot/schema-route.ts";
import { createClient } from "../client/client.ts";
import { dashboardPlugin } from "../dashboard/dashboard-plugin.ts";
import { LivePages } from "../dashboard/live.ts";
import { queuePath } from "../dashboard/queue-page.ts";
import { Sessions } from "../dashboard/session.ts";
import { testPath } from "../dashboard/test-path.ts";
import { GitHubAppRegistration } from "../github/access/github-app-registration.ts";
import { GitHubWorkflowTokens } from "../github/access/workflow-tokens.ts";
import { AppClient } from "../github/client/app-client.ts";
import { CallLimiter } from "../github/client/call-limiter.ts";
import { GitHubCodeHost } from "../github/github-code-host.ts";
import type { Clock } from "../ports/code-host/runtime.ts";
import { HttpWebhookPoster } from "../receivers/http-webhook-poster.ts";
import { AppCheck } from "../service/access/app-check.ts";
import { DashboardSessions } from "../service/access/dashboard-sessions.ts";
import { TokensAndOurBot } from "../service/access/tokens.ts";
import { createService } from "../service/create-service.ts";
import { GivenUpDeliveries } from "../service/observation/given-up-deliveries.ts";
import { installed } from "../service/queue/directory.ts";
import type { AppSettings } from "../settings/app-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { openStore } from "../store/sqlite/open-store.ts";
import { requireAppManifest } from "./app-manifest.ts";
import { baseBranchReader } from "./base-branch.ts";
import { closeGently } from "./close-gently.ts";
import { doctorSettings } from "./doctor-settings.ts";
import type { Log } from "./log.ts";

export interface RunningServer {
  /** The address that it listens on. */
  readonly url: string;
  /** Refuses new requests, finishes those in flight, and closes the database. */
  close(): Promise<void>;
}

const systemClock: Clock = { now: () => Date.now() };
/** Longer than GitHub takes to answer. */
const refuseAfterMs = 1_500;
const ids = { next: () => randomUUID() };
const parsingScript = new URL("./parsing-worker.js", import.meta.url);

/** Wires the whole service: database, GitHub, queues, API, bot and dashboard. */
export async function startServer(
  settings: Settings,
  credentials: AppSettings,
  log: Log,
  clock: Clock = systemClock,
  beforeListening: () => void = () => {},
): Promise<RunningServer> {
  const manifest = requireAppManifest();
  const store = await openStore(settings.databaseUrl, log);
  const { github, publicUrl, leaseMs, workflowTokens } = settings;
  const { apiUrl, restVersion } = github;
  const appCredentials = { appId: credentials.id, privateKey: credentials.privateKey, apiUrl, restVersion };
  const limiter = new CallLimiter(store.callLimits, github.contentBudget);
  const appClient = new AppClient(appCredentials, log, limiter);
  const appCheck = new AppCheck({
    registration: new GitHubAppRegistration(appClient, appCredentials, github.webUrl),
    wanted: { permissions: manifest.default_permissions, events: manifest.default_events },
    log,
  });
  const codeHost = new GitHubCodeHost(appClient, settings.scratchBranchPrefix);
  const service = createService({
    stores: store,
    host: { name: github.host, api: codeHost, usage: appClient.meter },
    poster: new HttpWebhookPoster({
      allowPrivate: settings.webhooksAllowPrivate,
      ports: settings.webhookPorts,
    }),
    readKept: readKeptReport,
    clock,
    ids,
    log,
    settings: {
      branches: { test: settings.testBranchPrefix, scratch: settings.scratchBranchPrefix },
      doctor: doctorSettings(settings, manifest),
      commandPrefix: settings.commandPrefix,
      submitLabel: settings.submitLabel,
      appPermissions: manifest.default_permissions,
      pace: { publishMs: settings.publishMs, mergeabilityMs: settings.mergeabilityMs },
      leaseMs,
      reconcileMs: settings.reconcileMs,
      auditMs: settings.auditMs,
      testRetentionMs: settings.testRetentionMs,
      queueUrl: (repo, branch) => (publicUrl === null ? null : publicUrl + queuePath({ repo, branch })),
      testAddresses: {
        // Without a public address, the service is reached only here.
        test: (repo, id) => (publicUrl ?? `http://${settings.host}:${settings.port}`) + testPath(repo, id),
        repository: ({ owner, name }) => `${github.webUrl}/${owner}/${name}`,
      },
      encryptionKeys: settings.encryptionKeys,
      webhookRetentionMs: settings.webhookRetentionMs,
      process: hostname(),
    },
  });
  const app = createHttpServer({
    log,
    trustedProxies: settings.trustedProxies,
    corsOrigins: settings.corsOrigins,
  });
  const parsing = new ParsingThread(parsingScript);
  const ourBot = randomBytes(32).toString("base64url");
  const tokens = new TokensAndOurBot(service.tokens, ourBot);
  await app.register(
    apiPlugin({
      queues: service.queues,
      tokens,
      workflows: workflowTokens && new GitHubWorkflowTokens({ ...workflowTokens, clock }),
      forkUploads: { runs: service.forkRuns, refuseAfterMs },
      audit: service.audit,
      idempotency: store.idempotency,
      metrics: service.metrics,
      organisationMetrics: service.organisationMetrics,
      commandTimes: service.commandTimes,
      tests: service.tests,
      bundles: service.bundles,
      quarantines: service.quarantines,
      servedHost: github.host,
      testRepositories: service.testRepositories,
      testSettings: service.testSettings,
      parsing,
      publicUrl,
      webhooks: service.webhooks,
      knownTests: service.knownTests,
      doctor: service.doctor,
      requestsPerSecond: settings.requestsPerSecond,
      ready: () => store.ready(),
      appFault: () => appCheck.ask(),
      now: clock.now,
    }),
  );

  const remote = settings.remoteApi;
  const client = remote
    ? createClient({ baseUrl: remote.url, token: remote.token, userAgent: "trainyard-bot" })
    : createClient({ baseUrl: "http://trainyard", token: ourBot, fetch: injectFetch(app) });
  const botSettings = {
    commandPrefix: settings.commandPrefix,
    submitLabel: settings.submitLabel,
    ownBranches: [settings.testBranchPrefix, settings.scratchBranchPrefix],
    appId: credentials.id,
    host: github.host,
  };
  const bot = await createBot({
    parts: {
      client,
      permissionOf: (repo, login) => codeHost.permissionOf(repo, login),
      react: (repo, comment, reaction) => codeHost.react(repo, comment, reaction),
      readFile: (repo, ref, path) => codeHost.readFile(repo, ref, path),
      isSameFile: (repo, path, refs) => codeHost.isSameFile(repo, path, refs),
      changedPaths: (repo, pr) => codeHost.changedPaths(repo, pr),
      putCheckRun: (repo, id, content, mayExist) => codeHost.putCheckRun(repo, id, content, mayExist),
      removeLabel: (repo, pr, label) => codeHost.removeLabel(repo, pr, label),
      files: service.files,
      baseBranchOf: baseBranchReader(codeHost, remote ? null : service.directory),
      checkedPullRequests: (repo, sha) => store.publications.checkedAt(repo, sha),
      heads: store.heads,
      headAt: (repo, pr, said) => codeHost.headAt(repo, pr, said),
      notices: service.notices,
      audit: service.audit,
      relay: service.relay,
      reach: service.reach,
      watcher: service.watcher,
      toldChecks: service.toldChecks,
      settings: botSettings,
      clock,
      log,
    },
    inbox: store.inbox,
    meters: store.meters,
    credentials: {
      appId: credentials.id,
      privateKey: credentials.privateKey,
      secret: credentials.webhookSecrets[0],
      apiUrl: github.apiUrl,
    },
    clock,
    owner: ids.next(),
    leaseMs,
    probotLog: log,
  });
  const poller = new CommandPoller({
    client,
    queues: async () =>
      (await service.directory.list()).map((queue) => ({ ...queue, repo: installed(queue) })),
    codeHost,
    files: service.files,
    inbox: store.inbox,
    meters: store.meters,
    cursors: store.cursors,
    settings: botSettings,
    clock,
    log,
    intervalMs: settings.reconcileMs,
    onAdded: () => bot.wake(),
  });
  const lanes = webhookLanes();
  await app.register(
    webhookRoute({
      probot: bot.probot,
      path: settings.webhookPath,
      secrets: credentials.webhookSecrets,
      receive: (payload, options) => readBody(payload, { ...options, ...lanes.of(options.told) }),
      readLarge: (event, body) => {
        const job: ReadDeliveryJob = { kind: "delivery", event, body };
        return parsing.run(job, [body.buffer]);
      },
    }),
  );
  await app.register(schemaRoute);
  const live = new LivePages(log);
  service.runtime.onCommit((_id, _events, state) => live.changed(queuePath(state).toLowerCase()));
  const sessions = new Sessions(new DashboardSessions(store.sessions, service.tokens, clock), {
    public: settings.dashboard === "public",
    secure: publicUrl?.startsWith("https:") ?? false,
  });
  await app.register(
    dashboardPlugin({
      queues: service.queues,
      givenUp: new GivenUpDeliveries(store.inbox),
      tests: service.knownTests,
      doctor: service.doctor,
      sessions,
      live,
      apiDocument: openApiDocument,
      publicUrl,
      now: clock.now,
    }),
  );

  appCheck.start();
  beforeListening();
  const url = await app.listen({ host: settings.host, port: settings.port });
  await service.start();
  bot.start();
  if (settings.pollCommands) poller.start();
  return {
    url,
    async close() {
      live.close();
      await closeGently(app);
      await appCheck.stop();
      await parsing.close();
      await poller.stop();
      await bot.stop();
      await service.stop();
      await store.close();
    },
  };
}
