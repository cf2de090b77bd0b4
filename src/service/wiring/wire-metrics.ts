import { CommandTimes } from "../metrics/command-times.ts";
import { QueueHealth } from "../metrics/health/queue-health.ts";
import { OrganisationMetrics } from "../metrics/organisation-metrics.ts";
import { QueueMetrics } from "../metrics/queue-metrics.ts";
import type { ServiceParts } from "../service-parts.ts";
import type { QueueFoundation } from "./wire-queues.ts";

export function wireMetrics(
  { stores, host, clock, log, settings }: ServiceParts,
  { runtime, directory, outbox }: QueueFoundation,
) {
  const { meters, inbox, testCounts, tableSizes, damage, webhookEndpoints, queues, tallies } = stores;
  const commandTimes = new CommandTimes();
  return {
    commandTimes,
    metrics: new QueueMetrics({ tallies, runtime, directory, clock }),
    health: new QueueHealth({ store: stores.health, history: stores.history, directory, clock, log }),
    organisationMetrics: new OrganisationMetrics({
      meters,
      outbox,
      inbox,
      tableSizes,
      damage,
      queues,
      clock,
      tests: testCounts,
      endpoints: webhookEndpoints,
      commands: commandTimes,
      codeHostUsage: host.usage,
      process: settings.process,
    }),
  };
}
