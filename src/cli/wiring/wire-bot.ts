import type { FastifyInstance } from "fastify";
import { injectFetch } from "../../api/inject-fetch.ts";
import type { BotSettings } from "../../bot/bot.ts";
import { createBot } from "../../bot/create-bot.ts";
import { createClient, type TrainyardClient } from "../../client/client.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Service } from "../../service/create-service.ts";
import { type Directory, installed } from "../../service/runtime/directory.ts";
import type { Foundation } from "./foundation.ts";

export interface BotContext {
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
      files: service.files,
      notices: service.notices,
      relay: service.relay,
      requirements: service.requirements,
      audit: service.audit,
      reach: service.reach,
      watcher: service.watcher,
      toldChecks: service.toldChecks,
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
