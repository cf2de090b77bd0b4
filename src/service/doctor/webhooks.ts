import { examination, list } from "./finding.ts";

/** Findings about the App's webhook. */

const addressDiffers = examination(
  "WEBHOOK_ADDRESS_DIFFERS",
  ["app", "hook"],
  ({ app, hook }, { webhookUrl }) => {
    if (app.kind !== "read") return null;
    const url = app.settingsUrl;
    if (hook.url === null)
      return {
        severity: "error",
        title: "The App has no webhook address",
        cause: "GitHub sends no events, so Trainyard notices comments and CI results only by polling.",
        evidence: "GET /app/hook/config returns no address",
        fix: { text: `Enter ${webhookUrl ?? "Trainyard's address"} as Webhook URL and activate it.`, url },
      };
    if (webhookUrl === null)
      return { unknown: "TRAINYARD_PUBLIC_URL is not set, so the correct webhook address is unknown" };
    if (hook.url.replace(/\/+$/, "") === webhookUrl) return null;
    return {
      severity: "warning",
      title: "Webhooks go to another address than this service's",
      cause: "They do not reach this service unless something forwards them.",
      evidence: `the App sends them to ${hook.url}; this service expects them at ${webhookUrl}`,
      fix: { text: `Set the Webhook URL to ${webhookUrl}, or correct TRAINYARD_PUBLIC_URL.`, url },
    };
  },
);

/** How many of the last deliveries are examined. */
const counted = 20;

const deliveriesFailing = examination(
  "WEBHOOK_DELIVERIES_FAILING",
  ["app", "deliveries"],
  ({ app, deliveries }) => {
    if (app.kind !== "read") return null;
    const arrived = new Set(deliveries.filter(isSuccess).map(({ guid }) => guid));
    const last = deliveries.slice(0, counted);
    const failed = last.filter(({ guid }) => !arrived.has(guid));
    if (failed.length === 0) return null;
    const kinds = new Set(failed.map(({ event, status }) => `${event}: ${status}`));
    return {
      severity: failed.length === last.length ? "error" : "warning",
      title: "Webhooks do not arrive",
      cause: "Trainyard notices changes only by polling, which takes minutes.",
      evidence: `${failed.length} of the last ${last.length} deliveries failed (${list([...kinds])})`,
      fix: {
        text: "Look at Recent deliveries. Make the address reachable for GitHub, and compare WEBHOOK_SECRET with the App's webhook secret.",
        url: `${app.settingsUrl}/advanced`,
      },
    };
  },
);

const isSuccess = ({ statusCode }: { statusCode: number }) => statusCode >= 200 && statusCode < 300;

export const webhookExaminations = [addressDiffers, deliveriesFailing];
