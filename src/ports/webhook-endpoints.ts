/** An address that an organisation wants to be told at. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Lower-case slug. */
  readonly organisation: string;
  readonly url: string;
  readonly description: string;
  /** Names of events, or `*`, or everything of one kind as in `pull_request.*`. */
  readonly events: readonly string[];
  /** Disabled: it is told nothing of what happens now, and what waits for it waits. */
  readonly enabled: boolean;
  /** Sealed. */
  readonly secret: string;
  /** Signs beside the new one until a time. Sealed. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly createdAt: number;
}

export type EndpointChanges = Partial<
  Pick<WebhookEndpoint, "url" | "description" | "events" | "enabled" | "secret" | "previous">
>;

/** What became of the messages to an endpoint. */
export interface EndpointCounts {
  readonly id: string;
  /** Ever. */
  readonly delivered: number;
  /** Attempts that failed, ever. */
  readonly failed: number;
  /** Given up, ever. */
  readonly parked: number;
  readonly waiting: number;
  /** Parked ones that are still there. */
  readonly parkedNow: number;
  /** Since when the one waits that has waited for longest; null when none does. */
  readonly waitingSince: number | null;
}

/** Endpoints by organisation: each sees its own only. */
export interface WebhookEndpoints {
  /** `full`: the organisation has as many as it may have already; nothing was added. */
  add(endpoint: WebhookEndpoint, most: number): Promise<"added" | "full">;
  /** Null also for one of another organisation; a null organisation is every one. */
  find(organisation: string | null, id: string): Promise<WebhookEndpoint | null>;
  /** Oldest first; of every organisation when it is null. */
  list(organisation: string | null): Promise<readonly WebhookEndpoint[]>;
  /** The endpoint as it is then; null when there is none. */
  change(organisation: string, id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null>;
  /** False when there is none. Its secret is gone at once, its deliveries by and by. */
  remove(organisation: string, id: string, at: number): Promise<boolean>;
  counts(organisation: string | null): Promise<readonly EndpointCounts[]>;
}
