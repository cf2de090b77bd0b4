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
import { DashboardSessions } from "../../service/access/dashboard-sessions.ts";
import { TokensAndOurBot } from "../../service/access/tokens.ts";
import type { Service } from "../../service/create-service.ts";
import { type Directory, installed } from "../../service/runtime/directory.ts";
import { settingsReader } from "./read-settings.ts";
import type { World } from "./wire-service.ts";

const whatIfScript = new URL("../what-if-worker.js", import.meta.url);

interface ApiContext {
  readonly service: Service;
  readonly parsing: ParsingThread;
  /** The token with which our own bot calls the API. */
  readonly botToken: string;
  /** Longer than GitHub takes to answer. */
  readonly refuseAfterMs?: number;
}

/** The API under `/v1`, the probes and the metrics. */
export function wireApi(
  world: World,
  { service, parsing, botToken, refuseAfterMs = 1_500 }: ApiContext,
): FastifyPluginAsync {
  const { settings, store, clock, appCheck } = world;
  const { github, publicUrl, workflowTokens, requestsPerSecond, commandPrefix } = settings;
  return apiPlugin({
    ...service,
    tokens: new TokensAndOurBot(service.tokens, botToken),
    verifyWorkflowToken: workflowTokens && workflowTokenVerifier({ ...workflowTokens, clock }),
    refuseAfterMs,
    idempotency: store.idempotency,
    servedHost: github.host,
    parsing,
    commandPrefix,
    publicUrl,
    requestsPerSecond,
    ready: () => store.ready(),
    appFault: () => appCheck.ask(),
    now: clock.now,
  });
}

interface BotContext {
  /** The server of this process's API, which the bot calls unless the settings name a remote one. */
  readonly app: FastifyInstance;
  readonly service: Service;
  /** The token with which the bot calls the API of this process. */
  readonly botToken: string;
}

/** Creates the bot, and the poller that finds commands whose webhooks were lost. Neither runs before `start`. */
export async function wireBot(world: World, { app, service, botToken }: BotContext) {
  const { settings, credentials, store, codeHost, clock, ids, log } = world;
  const { github, remoteApi } = settings;
  const client: TrainyardClient = remoteApi
    ? createClient({ baseUrl: remoteApi.url, token: remoteApi.token, userAgent: "trainyard-bot" })
    : createClient({ baseUrl: "http://trainyard", token: botToken, fetch: injectFetch(app) });
  const botSettings: BotSettings = {
    commandPrefix: settings.commandPrefix,
    submitLabel: settings.submitLabel,
    ownBranches: [settings.testBranchPrefix, settings.scratchBranchPrefix],
    appId: credentials.id,
    commandsSince: settings.commandsSince,
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
      ...store,
      ...service,
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

/** The dashboard, whose open pages change with each event of their queue. */
export function wireDashboard(
  { settings, credentials, store, appCheck, clock, log }: World,
  service: Service,
): { readonly plugin: FastifyPluginAsync; readonly live: LivePages } {
  const { publicUrl, dashboard, github } = settings;
  const live = new LivePages(log);
  service.runtime.onCommit((_id, _events, state) => {
    live.changed(queuePath(state).toLowerCase());
    live.changed(overviewPath);
  });
  const sessions = new Sessions(new DashboardSessions(store.sessions, service.tokens, clock), service.roles, {
    public: dashboard === "public",
    secure: publicUrl?.startsWith("https:") ?? false,
  });
  const plugin = dashboardPlugin({
    ...service,
    knownApp: () => appCheck.known(),
    historyMs: settings.historyMs,
    databaseDamage: () => store.damage.found,
    readSettings: settingsReader,
    whatIf: new WhatIfThread(whatIfScript, settings.databaseUrl),
    sessions,
    signIn:
      credentials.oauth &&
      new GitHubSignIn(github, new RestVersionPin(github.restVersion, log), credentials.oauth),
    live,
    apiDocument: openApiDocument,
    publicUrl,
    nextSteps: { ...settings, webUrl: github.webUrl },
    now: clock.now,
  });
  return { plugin, live };
}

/** The address to which GitHub sends webhooks. Large ones are parsed in the given thread. */
export function wireWebhooks(
  { settings, credentials }: World,
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
