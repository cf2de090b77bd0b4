import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { Probot } from "probot";
import { apiPlugin } from "../../api/api-plugin.ts";
import { webhookLanes } from "../../api/bodies/body-budget.ts";
import type { ParsingThread } from "../../api/bodies/parsing-thread.ts";
import { readBody } from "../../api/bodies/read-body.ts";
import { injectFetch } from "../../api/inject-fetch.ts";
import { openApiDocument } from "../../api/openapi/document.ts";
import type { BotSettings } from "../../bot/bot.ts";
import { createBot } from "../../bot/create-bot.ts";
import type { ReadDeliveryJob } from "../../bot/deliveries/read-delivery.ts";
import { webhookRoute } from "../../bot/routes.ts";
import { createClient, type TrainyardClient } from "../../client/client.ts";
import { dashboardPlugin } from "../../dashboard/dashboard-plugin.ts";
import { LivePages } from "../../dashboard/live.ts";
import { overviewPath, queuePath } from "../../dashboard/paths.ts";
import { Sessions } from "../../dashboard/session.ts";
import { WhatIfThread } from "../../dashboard/what-if/what-if-thread.ts";
import { GitHubSignIn } from "../../github/access/sign-in.ts";
import { workflowTokenVerifier } from "../../github/access/workflow-tokens.ts";
import { RestVersionPin } from "../../github/client/rest-version.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { AppCheck } from "../../service/access/app-check.ts";
import { DashboardSessions } from "../../service/access/dashboard-sessions.ts";
import { TokensAndOurBot } from "../../service/access/tokens.ts";
import type { Service } from "../../service/create-service.ts";
import { GivenUpDeliveries } from "../../service/observation/given-up-deliveries.ts";
import { RepositoryRoles } from "../../service/observation/repository-roles.ts";
import { QueueOverview } from "../../service/queues/queue-overview.ts";
import { QueuePast } from "../../service/queues/queue-past.ts";
import { type Directory, installed } from "../../service/runtime/directory.ts";
import { settingsReader } from "./read-settings.ts";
import type { Foundation } from "./wire-service.ts";

const whatIfScript = new URL("../what-if-worker.js", import.meta.url);
/** Longer than GitHub takes to answer. */
const refuseAfterMs = 1_500;

interface ApiContext {
  readonly service: Service;
  readonly parsing: ParsingThread;
  readonly appCheck: Pick<AppCheck, "ask">;
  /** The token with which our own bot calls the API. */
  readonly botToken: string;
}

/** The API under `/v1`, the probes and the metrics. */
export function wireApi(
  { settings, store, clock }: Pick<Foundation, "settings" | "store" | "clock">,
  { service, parsing, appCheck, botToken }: ApiContext,
): FastifyPluginAsync {
  const { github, publicUrl, workflowTokens } = settings;
  return apiPlugin({
    queues: service.queues,
    tokens: new TokensAndOurBot(service.tokens, botToken),
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
    servedHost: github.host,
    testRepositories: service.testRepositories,
    testSettings: service.testSettings,
    parsing,
    publicUrl,
    webhooks: service.webhooks,
    knownTests: service.knownTests,
    testedCommits: service.testedCommits,
    doctor: service.doctor,
    requestsPerSecond: settings.requestsPerSecond,
    countRequest: (key) => service.requestCounts.add(key),
    ready: () => store.ready(),
    appFault: () => appCheck.ask(),
    now: clock.now,
  });
}

interface BotContext {
  /** Has the API, which the bot calls unless the settings name a remote one. */
  readonly app: FastifyInstance;
  readonly service: Service;
  readonly codeHost: CodeHost;
  /** The token with which the bot calls the API of this process. */
  readonly botToken: string;
}

/** Creates the bot, and the poller that finds commands whose webhooks were lost. Neither runs before `start`. */
export async function wireBot(
  foundation: Omit<Foundation, "manifest">,
  { app, service, codeHost, botToken }: BotContext,
) {
  const { settings, credentials, store, clock, ids, log } = foundation;
  const { github, remoteApi } = settings;
  const client: TrainyardClient = remoteApi
    ? createClient({ baseUrl: remoteApi.url, token: remoteApi.token, userAgent: "trainyard-bot" })
    : createClient({ baseUrl: "http://trainyard", token: botToken, fetch: injectFetch(app) });
  const botSettings: BotSettings = {
    commandPrefix: settings.commandPrefix,
    submitLabel: settings.submitLabel,
    ownBranches: [settings.testBranchPrefix, settings.scratchBranchPrefix],
    appId: credentials.id,
    host: github.host,
  };
  return createBot({
    bot: {
      client,
      codeHost,
      baseBranchOf: baseBranchReader(codeHost, remoteApi ? null : service.directory),
      queuesOf: async (repo) => (remoteApi ? [] : service.directory.ofRepository(repo)),
      polledQueues: async () =>
        (await service.directory.list()).map((queue) => ({ ...queue, repo: installed(queue) })),
      inbox: store.inbox,
      commands: store.commands,
      heads: store.heads,
      cursors: store.cursors,
      meters: store.meters,
      publications: store.publications,
      sessions: store.sessions,
      files: service.files,
      instances: service.instances,
      notices: service.notices,
      relay: service.relay,
      requirements: service.requirements,
      audit: service.audit,
      reach: service.reach,
      watcher: service.watcher,
      webhookChecks: service.webhookChecks,
      settings: botSettings,
      clock,
      log,
    },
    credentials: {
      appId: credentials.id,
      privateKey: credentials.privateKey,
      secret: credentials.webhookSecrets[0],
      apiUrl: github.apiUrl,
    },
    owner: ids.next(),
    leaseMs: settings.leaseMs,
    pollMs: settings.reconcileMs,
    probotLog: log,
  });
}

/**
 * Finds the branch that a pull request, or the stack that it belongs to, is to be merged into. The payload of a comment does
 * not name it. A repository with a single queue needs no call to GitHub: if the base is another branch, the queue says so.
 */
function baseBranchReader(
  codeHost: Pick<CodeHost, "readPullRequest">,
  directory: Pick<Directory, "ofRepository"> | null,
): (repo: InstalledRepository, pr: number) => Promise<string | null> {
  return async (repo, pr) => {
    const queues = (await directory?.ofRepository(repo)) ?? [];
    const [only] = queues;
    if (only && queues.length === 1) return only.branch;
    const pull = await codeHost.readPullRequest(repo, pr);
    return pull?.stack?.baseBranch ?? pull?.baseBranch ?? null;
  };
}

/** The dashboard, and its open pages, which change with each event of their queue. */
export function wireDashboard(
  { settings, credentials, store, clock, log }: Foundation,
  service: Service,
  appCheck: Pick<AppCheck, "known">,
): { readonly plugin: FastifyPluginAsync; readonly live: LivePages } {
  const { publicUrl, dashboard, github, testBranchPrefix, commandPrefix } = settings;
  const live = new LivePages(log);
  service.runtime.onCommit((_id, _events, state) => {
    live.changed(queuePath(state).toLowerCase());
    live.changed(overviewPath);
  });
  const sessions = new Sessions(
    new DashboardSessions(store.sessions, service.tokens, clock),
    new RepositoryRoles(service.directory, clock),
    { public: dashboard === "public", secure: publicUrl?.startsWith("https:") ?? false },
  );
  const plugin = dashboardPlugin({
    queues: service.queues,
    overview: new QueueOverview({
      directory: service.directory,
      runtime: service.runtime,
      history: store.history,
      inbox: store.inbox,
      doctor: service.doctor,
      clock,
    }),
    health: service.health,
    past: new QueuePast({ directory: service.directory, past: store.past, queues: store.queues }),
    testedCommits: service.testedCommits,
    knownApp: () => appCheck.known(),
    historyMs: settings.historyMs,
    databaseDamage: () => store.damage.found,
    givenUp: new GivenUpDeliveries(store.inbox),
    tests: service.knownTests,
    quarantines: service.quarantines,
    audit: service.audit,
    testSettings: service.testSettings,
    readSettings: settingsReader,
    tokens: service.tokens,
    webhooks: service.webhooks,
    doctor: service.doctor,
    whatIf: new WhatIfThread(whatIfScript, settings.databaseUrl),
    sessions,
    signIn:
      credentials.oauth &&
      new GitHubSignIn(github, new RestVersionPin(github.restVersion, log), credentials.oauth),
    live,
    apiDocument: openApiDocument,
    publicUrl,
    nextSteps: { webUrl: github.webUrl, testBranchPrefix, commandPrefix },
    now: clock.now,
  });
  return { plugin, live };
}

/** The address to which GitHub sends webhooks. Large ones are parsed in the given thread. */
export function wireWebhooks(
  { settings, credentials }: Foundation,
  probot: Probot,
  parsing: ParsingThread,
): FastifyPluginAsync {
  const lanes = webhookLanes();
  return webhookRoute({
    probot,
    path: settings.webhookPath,
    secrets: credentials.webhookSecrets,
    receive: (payload, options) => readBody(payload, { ...options, ...lanes.of(options.announced) }),
    readLarge: (event, body) => {
      const job: ReadDeliveryJob = { kind: "delivery", event, body };
      return parsing.run(job, [body.buffer]);
    },
  });
}
