/** The form of messages: ours, or what incoming webhooks of Slack and workflows of Microsoft Teams take. */
export type WebhookFormat = "json" | "slack" | "teams";

/** A URL at which an organisation receives webhooks. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Lower-case slug. */
  readonly organisation: string;
  readonly url: string;
  readonly description: string;
  readonly format: WebhookFormat;
  /** Names of events, `*`, or all events of one kind, such as `pull_request.*`. */
  readonly events: readonly string[];
  /**
   * While disabled, it receives nothing: new events are not stored for it, and messages that wait for it keep
   * waiting.
   */
  readonly enabled: boolean;
  /** Sealed. */
  readonly secret: string;
  /** The previous secret also signs until a time. Sealed. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly createdAt: number;
}

export type EndpointChanges = Partial<
  Pick<WebhookEndpoint, "url" | "description" | "format" | "events" | "enabled" | "secret" | "previous">
>;

/** The numbers of messages to an endpoint. */
export interface EndpointCounts {
  readonly id: string;
  /** Total ever. */
  readonly delivered: number;
  /** Failed attempts, total ever. */
  readonly failed: number;
  /** Given up, total ever. */
  readonly parked: number;
  readonly waiting: number;
  /** Parked messages that are still stored. */
  readonly parkedNow: number;
  /** Since when the oldest waiting message has waited; null when none waits. */
  readonly waitingSince: number | null;
}

/** The endpoints of organisations. An organisation sees only its own. */
export interface WebhookEndpoints {
  /** `full`: the organisation already has the maximum number of endpoints; nothing was added. */
  add(endpoint: WebhookEndpoint, most: number): Promise<"added" | "full">;
  /** Null also for an endpoint of another organisation. A null organisation matches all. */
  find(organisation: string | null, id: string): Promise<WebhookEndpoint | null>;
  /** Oldest first; of all organisations when it is null. */
  list(organisation: string | null): Promise<readonly WebhookEndpoint[]>;
  /** Returns the changed endpoint; null when there is none. */
  change(organisation: string, id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null>;
  /** False when there is none. Its secret is deleted at once, its deliveries later. */
  remove(organisation: string, id: string, at: number): Promise<boolean>;
  counts(organisation: string | null): Promise<readonly EndpointCounts[]>;
}
