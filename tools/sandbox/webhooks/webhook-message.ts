import type { Delivery } from "./delivery.ts";

/** An event as it is sent. */
export interface WebhookMessage
  extends Pick<Delivery, "event" | "action" | "installationId" | "repositoryId"> {
  /** The JSON payload. */
  body: string;
}
