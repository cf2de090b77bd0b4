import { hostname } from "node:os";
import { pullRequestPath, queuePath, testPath } from "../../dashboard/paths.ts";
import { readKeptReport } from "../../flaky/endpoints/decode-report.ts";
import { readAppRegistration } from "../../github/access/app-registration.ts";
import { AppClient } from "../../github/client/app-client.ts";
import { CallLimiter } from "../../github/client/call-limiter.ts";
import { GitHubCodeHost } from "../../github/github-code-host.ts";
import type { InstallationUsage } from "../../ports/code-host/app.ts";
import type { Clock, Ids } from "../../ports/code-host/runtime.ts";
import { HttpWebhookPoster } from "../../receivers/http-webhook-poster.ts";
import { AppCheck } from "../../service/access/app-check.ts";
import { createService, type Service } from "../../service/create-service.ts";
import { SoleReplica } from "../../service/replicas/replicas.ts";
import { SharedReplicas } from "../../service/replicas/shared-replicas.ts";
import type { ServiceSettings } from "../../service/service-parts.ts";
import type { AppSettings } from "../../settings/app-settings.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Store } from "../../store/sqlite/open-store.ts";
import type { AppManifest } from "../app-manifest.ts";
import { doctorSettings } from "../doctor-settings.ts";
import type { Log } from "../log.ts";

/** Creates the use cases and their workers. Nothing runs before `start`. */
export function wireService(
  { settings, manifest, store, clock, ids, log }: Foundation,
  { codeHost, usage }: GitHub,
): Service {
  return createService({
    stores: store,
    host: { name: settings.github.host, api: codeHost, usage },
    poster: new HttpWebhookPoster({
      allowPrivate: settings.webhooksAllowPrivate,
      ports: settings.webhookPorts,
    }),
    readKept: readKeptReport,
    clock,
    ids,
    log,
    replicas: store.isShared
      ? new SharedReplicas({
          store: store.replicas,
          id: ids.next(),
          name: `${hostname()} ${process.pid}`,
          log,
        })
      : new SoleReplica(),
    settings: serviceSettings(settings, manifest),
  });
}

function serviceSettings(settings: Settings, manifest: AppManifest): ServiceSettings {
  const { github, publicUrl } = settings;
  return {
    branches: { test: settings.testBranchPrefix, scratch: settings.scratchBranchPrefix },
    doctor: doctorSettings(settings, manifest),
    commandPrefix: settings.commandPrefix,
    submitLabel: settings.submitLabel,
    publicPages: settings.publicPages,
    appPermissions: manifest.default_permissions,
    pace: { publishMs: settings.publishMs, mergeabilityMs: settings.mergeabilityMs },
    leaseMs: settings.leaseMs,
    reconcileMs: settings.reconcileMs,
    auditMs: settings.auditMs,
    historyMs: settings.historyMs,
    testRetentionMs: settings.testRetentionMs,
    pageUrl: (queue, pr) =>
      publicUrl && publicUrl + (pr === undefined ? queuePath(queue) : pullRequestPath(queue, pr)),
    testAddresses: {
      // Without a public address, the service is reached only here.
      test: (repo, id) => (publicUrl ?? `http://${settings.host}:${settings.port}`) + testPath(repo, id),
      repository: ({ owner, name }) => `${github.webUrl}/${owner}/${name}`,
    },
    encryptionKeys: settings.encryptionKeys,
    webhookRetentionMs: settings.webhookRetentionMs,
    process: hostname(),
  };
}

/** What every part of the server is built on. */
export interface Foundation {
  readonly settings: Settings;
  readonly credentials: AppSettings;
  readonly manifest: AppManifest;
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
}

interface GitHub {
  readonly codeHost: GitHubCodeHost;
  readonly usage: () => readonly InstallationUsage[];
}

/** Creates the client of GitHub, and the check that GitHub knows the App. Calls nothing yet. */
export function connectGitHub({
  settings: { github, scratchBranchPrefix },
  credentials: { id: appId, privateKey },
  manifest,
  store,
  log,
  clock,
}: Foundation): GitHub & { readonly appCheck: AppCheck } {
  const { apiUrl, restVersion } = github;
  const app = { appId, privateKey, apiUrl, restVersion };
  const limiter = new CallLimiter(store.callLimits, github.contentBudget, () => clock.now());
  const client = new AppClient(app, log, limiter);
  const appCheck = new AppCheck({
    readApp: (signal) => readAppRegistration(client, app, github.webUrl, signal),
    wanted: { permissions: manifest.default_permissions, events: manifest.default_events },
    log,
  });
  return {
    codeHost: new GitHubCodeHost(client, scratchBranchPrefix),
    usage: () => client.meter.usage(),
    appCheck,
  };
}
