import { hostname } from "node:os";
import { queuePath } from "../../dashboard/queue-page.ts";
import { testPath } from "../../dashboard/test-path.ts";
import { readKeptReport } from "../../flaky/endpoints/decode-report.ts";
import { HttpWebhookPoster } from "../../receivers/http-webhook-poster.ts";
import { createService, type Service } from "../../service/create-service.ts";
import { SoleReplica } from "../../service/replicas/replicas.ts";
import { SharedReplicas } from "../../service/replicas/shared-replicas.ts";
import type { ServiceSettings } from "../../service/service-parts.ts";
import type { Settings } from "../../settings/settings.ts";
import type { AppManifest } from "../app-manifest.ts";
import { doctorSettings } from "../doctor-settings.ts";
import type { Foundation, GitHub } from "./foundation.ts";

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
    appPermissions: manifest.default_permissions,
    pace: { publishMs: settings.publishMs, mergeabilityMs: settings.mergeabilityMs },
    leaseMs: settings.leaseMs,
    reconcileMs: settings.reconcileMs,
    auditMs: settings.auditMs,
    historyMs: settings.historyMs,
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
  };
}
