import type { Delivery } from "./delivery.ts";

/** An event as it goes over the wire. */
export interface WebhookMessage
  extends Pick<Delivery, "event" | "action" | "installationId" | "repositoryId"> {
  /** JSON. */
  body: string;
}
