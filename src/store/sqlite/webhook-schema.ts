import type { Generated } from "kysely";

/** Addresses that receive messages, and the messages to them. */
export interface WebhookSchema {
  webhook_endpoints: WebhookEndpointTable;
  webhook_deliveries: WebhookDeliveryTable;
}

export interface WebhookEndpointTable {
  id: string;
  organisation: string;
  url: string;
  description: string;
  format: string;
  /** JSON. */
  events: string;
  enabled: number;
  /** Sealed; empty after deletion. */
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  created_at: number;
  deleted_at: number | null;
  delivered: Generated<number>;
  failed: Generated<number>;
  parked: Generated<number>;
}

interface WebhookDeliveryTable {
  id: Generated<number>;
  endpoint_id: string;
  message_id: string;
  type: string;
  stream: string;
  payload: string;
  state: "waiting" | "delivered" | "parked";
  created_at: number;
  give_up_at: number;
  not_before: number;
  /** When it can be claimed; null while another message of its stream precedes it, and after it has ended. */
  due_at: number | null;
  attempts: Generated<number>;
  lease_owner: string | null;
  lease_until: number | null;
  last_status: number | null;
  last_error: string | null;
  ended_at: number | null;
}
