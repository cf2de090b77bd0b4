import type { FastifyPluginAsync } from "fastify";
import type { Probot } from "probot";
import { webhookLanes } from "../../api/bodies/body-budget.ts";
import type { ParsingThread } from "../../api/bodies/parsing-thread.ts";
import { readBody } from "../../api/bodies/read-body.ts";
import type { ReadDeliveryJob } from "../../bot/deliveries/read-delivery.ts";
import { webhookRoute } from "../../bot/routes.ts";
import type { Foundation } from "./foundation.ts";

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
