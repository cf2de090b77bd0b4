/** An event message that an organisation can subscribe to. */
export interface WebhookMessage {
  /** The same for every subscriber and every attempt. Unique. */
  readonly id: string;
  /** `pull_request.merged`, … */
  readonly type: string;
  /** An endpoint receives the messages of one stream in order. */
  readonly stream: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  /** The body that is sent and signed, as JSON text. */
  readonly payload: string;
}

/** Messages for an organisation. They are built only if there is a subscriber. */
export interface Announcement {
  readonly organisation: string;
  readonly messages: () => readonly WebhookMessage[];
}
