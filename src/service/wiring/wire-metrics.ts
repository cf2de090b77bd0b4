import { CommandTimes } from "../metrics/command-times.ts";
import { OrganisationMetrics } from "../metrics/organisation-metrics.ts";
import { QueueMetrics } from "../metrics/queue-metrics.ts";
import type { ServiceParts } from "../service-parts.ts";
import type { QueueFoundation } from "./wire-queues.ts";

export function wireMetrics(
  { stores, host, clock, settings }: ServiceParts,
  { runtime, directory, outbox }: QueueFoundation,
) {
  const { meters, inbox, testCounts, tableSizes, damage, webhookEndpoints, queues, tallies } = stores;
  const commandTimes = new CommandTimes();
  return {
    commandTimes,
    metrics: new QueueMetrics({ tallies, runtime, directory, clock }),
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
