import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { apiPlugin } from "../api/api-plugin.ts";
import { createHttpServer } from "../api/http-server.ts";
import { injectFetch } from "../api/inject-fetch.ts";
import { openApiDocument } from "../api/openapi/document.ts";
import { createBot } from "../bot/create-bot.ts";
import { CommandPoller } from "../bot/poll-commands.ts";
import { schemaRoute } from "../bot/schema-route.ts";
import { webhookRoute } from "../bot/webhook-route.ts";
import { createClient } from "../client/client.ts";
import { dashboardPlugin } from "../dashboard/dashboard-plugin.ts";
import { LivePages } from "../dashboard/live.ts";
import { queuePath } from "../dashboard/queue-page.ts";
import { Sessions } from "../dashboard/session.ts";
import { testPath } from "../dashboard/test-path.ts";
import { AppClient } from "../github/app-client.ts";
import { GitHubCodeHost } from "../github/github-code-host.ts";
import { GitHubWorkflowTokens } from "../github/workflow-tokens.ts";
import { HttpWebhookPoster } from "../receivers/http-webhook-poster.ts";
import { createService } from "../service/create-service.ts";
import { DashboardSessions } from "../service/dashboard-sessions.ts";
import { installed } from "../service/directory.ts";
import { TokensAndOurBot } from "../service/tokens.ts";
import type { AppSettings } from "../settings/app-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { openStore } from "../store/open-store.ts";
import { baseBranchReader } from "./base-branch.ts";
import { closeGently } from "./close-gently.ts";
import type { Log } from "./log.ts";

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  /** Takes no more requests, finishes what is under way, and closes the database. */
  close(): Promise<void>;
}

const clock = { now: () => Date.now() };
/** Longer than GitHub takes to answer. */
const refuseAfterMs = 1_500;
const ids = { next: () => randomUUID() };

/** Wires the whole service: database, GitHub, queues, API, bot and dashboard. */
export async function startServer(
  settings: Settings,
  credentials: AppSettings,
  log: Log,
): Promise<RunningServer> {
  const store = await openStore(settings.databaseUrl);
  const { github, publicUrl, leaseMs, workflowTokens } = settings;
  const appClient = new AppClient(
    { appId: credentials.id, privateKey: credentials.privateKey, apiUrl: github.apiUrl },
    log,
  );
  const codeHost = new GitHubCodeHost(appClient, settings.scratchBranchPrefix);
  const service = createService({
    stores: store,
    host: { name: github.host, api: codeHost, usage: appClient.meter },
    poster: new HttpWebhookPoster({
      allowPrivate: settings.webhooksAllowPrivate,
      ports: settings.webhookPorts,
    }),
    clock,
    ids,
    log,
    settings: {
      branches: { test: settings.testBranchPrefix, scratch: settings.scratchBranchPrefix },
      commandPrefix: settings.commandPrefix,
      pace: { publishMs: settings.publishMs, mergeabilityMs: settings.mergeabilityMs },
      leaseMs,
      reconcileMs: settings.reconcileMs,
      auditMs: settings.auditMs,
      testRetentionMs: settings.testRetentionMs,
      queueUrl: (repo, branch) => (publicUrl === null ? null : publicUrl + queuePath({ repo, branch })),
      testAddresses: {
        // Without an address of its own, the service is reached only here.
        test: (repo, id) => (publicUrl ?? `http://${settings.host}:${settings.port}`) + testPath(repo, id),
        repository: ({ owner, name }) => `${github.webUrl}/${owner}/${name}`,
      },
      encryptionKeys: settings.encryptionKeys,
      webhookRetentionMs: settings.webhookRetentionMs,
      process: hostname(),
    },
  });
  const app = createHttpServer({ log, trustedProxies: settings.trustedProxies });
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
      testSettings: service.testSettings,
      publicUrl,
      webhooks: service.webhooks,
      knownTests: service.knownTests,
      requestsPerSecond: settings.requestsPerSecond,
      ready: () => store.ready(),
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
      heads: store.heads,
      notices: service.notices,
      audit: service.audit,
      relay: service.relay,
      watcher: service.watcher,
      settings: botSettings,
      clock,
      log,
    },
    inbox: store.inbox,
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
    cursors: store.cursors,
    settings: botSettings,
    clock,
    log,
    intervalMs: settings.reconcileMs,
    onAdded: () => bot.wake(),
  });
  await app.register(
    webhookRoute({ probot: bot.probot, path: settings.webhookPath, secrets: credentials.webhookSecrets }),
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
      tests: service.knownTests,
      sessions,
      live,
      apiDocument: openApiDocument,
      publicUrl,
      now: clock.now,
    }),
  );

  const url = await app.listen({ host: settings.host, port: settings.port });
  await service.start();
  bot.start();
  if (settings.pollCommands) poller.start();
  return {
    url,
    async close() {
      live.close();
      await closeGently(app);
      await poller.stop();
      await bot.stop();
      await service.stop();
      await store.close();
    },
  };
}
