import { hostname } from "node:os";
import { pullRequestPath, queuePath, testPath } from "../../dashboard/paths.ts";
import { readKeptReport } from "../../flaky/endpoints/decode-report.ts";
import { readAppRegistration } from "../../github/access/app-registration.ts";
import { AppClient } from "../../github/client/app-client.ts";
import { CallLimiter } from "../../github/client/call-limiter.ts";
import { GitHubCodeHost } from "../../github/github-code-host.ts";
import type { InstallationUsage } from "../../ports/code-host/app.ts";
import type { CodeHost } from "../../ports/code-host/code-host.ts";
import type { Clock, Ids, Logger } from "../../ports/code-host/runtime.ts";
import type { WebhookPoster } from "../../ports/webhooks/webhook-poster.ts";
import { HttpWebhookPoster } from "../../receivers/http-webhook-poster.ts";
import { AppCheck } from "../../service/access/app-check.ts";
import { createService, type Service } from "../../service/create-service.ts";
import type { ServiceSettings } from "../../service/observation/queue-context.ts";
import { type Replicas, SoleReplica } from "../../service/replicas/replicas.ts";
import { SharedReplicas } from "../../service/replicas/shared-replicas.ts";
import type { AppSettings } from "../../settings/app-settings.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Store } from "../../store/create-stores.ts";
import type { AppManifest } from "../app-manifest.ts";
import { doctorSettings } from "../doctor-settings.ts";
import type { Log } from "../log.ts";

/** What the server is wired from: its settings, and everything outside of the process. Tests replace parts of it. */
export interface World {
  readonly settings: Settings;
  readonly credentials: AppSettings;
  readonly manifest: Pick<AppManifest, "default_permissions" | "default_events">;
  readonly store: Store;
  readonly codeHost: CodeHost;
  /** The calls that the installations of the App have used. */
  readonly usage: () => readonly InstallationUsage[];
  readonly appCheck: Pick<AppCheck, "ask" | "known">;
  readonly poster: WebhookPoster;
  readonly replicas: Replicas;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

type Basis = Pick<World, "settings" | "credentials" | "manifest" | "store" | "clock" | "ids" | "log">;

/** The world outside tests: GitHub, subscribers, and the other replicas on the database. Calls nothing yet. */
export function connectWorld(basis: Basis): World & { readonly appCheck: AppCheck } {
  const { settings, credentials, manifest, store, clock, ids, log } = basis;
  const { github, scratchBranchPrefix } = settings;
  const { apiUrl, restVersion } = github;
  const app = { appId: credentials.id, privateKey: credentials.privateKey, apiUrl, restVersion };
  const limiter = new CallLimiter(store.callLimits, github.contentBudget, () => clock.now());
  const client = new AppClient(app, log, limiter);
  const name = `${hostname()} ${process.pid}`;
  return {
    ...basis,
    codeHost: new GitHubCodeHost(client, scratchBranchPrefix),
    usage: () => client.meter.usage(),
    appCheck: new AppCheck({
      readApp: (signal) => readAppRegistration(client, app, github.webUrl, signal),
      wanted: { permissions: manifest.default_permissions, events: manifest.default_events },
      log,
    }),
    poster: new HttpWebhookPoster({
      allowPrivate: settings.webhooksAllowPrivate,
      ports: settings.webhookPorts,
    }),
    replicas: store.isShared
      ? new SharedReplicas({ store: store.replicas, id: ids.next(), name, log })
      : new SoleReplica(),
  };
}

/** Creates the use cases and their workers. Nothing runs before `start`. */
export function wireService(world: World, log: Logger = world.log): Service {
  const { settings, store, codeHost, usage, poster, replicas, clock, ids } = world;
  const { github, publicUrl, host, port } = settings;
  return createService({
    stores: store,
    host: { name: github.host, api: codeHost, usage },
    ...{ poster, clock, ids, replicas, log },
    settings: serviceSettings(world),
    reports: {
      readKept: readKeptReport,
      addresses: {
        // Without a public address, the service is reached only on this machine.
        test: (repo, id) => (publicUrl ?? `http://${host}:${port}`) + testPath(repo, id),
        repository: ({ owner, name }) => `${github.webUrl}/${owner}/${name}`,
      },
    },
  });
}

function serviceSettings({ settings, manifest }: World): ServiceSettings {
  const { publicUrl, publishMs, mergeabilityMs } = settings;
  return {
    ...settings,
    branches: { test: settings.testBranchPrefix, scratch: settings.scratchBranchPrefix },
    doctor: doctorSettings(settings, manifest),
    appPermissions: manifest.default_permissions,
    pace: { publishMs, mergeabilityMs },
    pageUrl: (queue, pr) =>
      publicUrl && publicUrl + (pr === undefined ? queuePath(queue) : pullRequestPath(queue, pr)),
    process: hostname(),
  };
}
