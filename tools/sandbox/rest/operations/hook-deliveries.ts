import { type Delivery, unpackBody } from "../../webhooks/delivery.ts";
import type { Call, Handlers } from "../operation.ts";
import { notFound, Refusal } from "../refusal.ts";
import { isoTime } from "../urls.ts";

type HookOperation =
  | "apps/get-webhook-config-for-app"
  | "apps/list-webhook-deliveries"
  | "apps/get-webhook-delivery"
  | "apps/redeliver-webhook-delivery";

const renderItem = (delivery: Delivery) => ({
  id: delivery.id,
  guid: delivery.guid,
  delivered_at: isoTime(delivery.deliveredAt),
  redelivery: delivery.redelivery,
  duration: delivery.durationSeconds,
  status: delivery.status,
  status_code: delivery.statusCode,
  event: delivery.event,
  action: delivery.action,
  installation_id: delivery.installationId,
  repository_id: delivery.repositoryId,
  throttled_at: null,
});

function deliveryById(call: Call<"apps/get-webhook-delivery" | "apps/redeliver-webhook-delivery">): Delivery {
  const found = call.hook.deliveries.find(({ id }) => id === call.path.delivery_id);
  if (found === undefined) throw notFound();
  return found;
}

export const hookDeliveryOperations: Handlers<HookOperation> = {
  "apps/get-webhook-config-for-app": ({ hook }) => ({
    status: 200,
    body: {
      content_type: "json",
      insecure_ssl: "0",
      secret: "********",
      ...(hook.url === null ? {} : { url: hook.url }),
    },
  }),

  "apps/list-webhook-deliveries": ({ hook, query, url }) => {
    const before =
      query.cursor === undefined ? Number.POSITIVE_INFINITY : Number(query.cursor.replace(/^v1_/, ""));
    if (Number.isNaN(before)) throw new Refusal(422, "Invalid cursor");
    const size = Math.min(Math.max(query.per_page ?? 30, 1), 100);
    const matching = hook.deliveries
      .filter(({ id }) => id < before)
      .filter(({ succeeded }) => query.status === undefined || succeeded === (query.status === "success"))
      .sort((a, b) => b.id - a.id);
    const page = matching.slice(0, size);
    const next = new URL(url);
    next.searchParams.set("cursor", `v1_${page.at(-1)?.id}`);
    const headers: Record<string, string> = matching.length > size ? { link: `<${next}>; rel="next"` } : {};
    return { status: 200, body: page.map(renderItem), headers };
  },

  "apps/get-webhook-delivery": (call) => {
    const delivery = deliveryById(call);
    return {
      status: 200,
      body: {
        ...renderItem(delivery),
        url: delivery.url,
        request: { headers: { ...delivery.requestHeaders }, payload: JSON.parse(unpackBody(delivery)) },
        response: { headers: { ...delivery.responseHeaders }, payload: delivery.responseBody },
      },
    };
  },

  "apps/redeliver-webhook-delivery": (call) => {
    call.hook.redeliver(deliveryById(call));
    return { status: 202, body: {} };
  },
};
