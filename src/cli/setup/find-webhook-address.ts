import type { Settings } from "../../settings/settings.ts";
import { type AddressProblem, checkWebhookAddress, type WebhookAddress } from "./public-address.ts";

/**
 * Returns the address to which GitHub sends webhooks, or why there is none.
 * @param relay `WEBHOOK_PROXY_URL`, an address that forwards webhooks to this service. It comes before the service's own
 */
export function findWebhookAddress(
  { publicUrl, webhookPath, github }: Settings,
  relay: string | undefined,
): WebhookAddress | AddressProblem {
  const own = publicUrl === null ? null : { variable: "TRAINYARD_PUBLIC_URL", url: publicUrl + webhookPath };
  return checkWebhookAddress(relay ? { variable: "WEBHOOK_PROXY_URL", url: relay } : own, github.host);
}
