/** Something that an organisation may want to be told of. */
export interface WebhookMessage {
  /** The same for whoever hears of it, and however often. Unique. */
  readonly id: string;
  /** `pull_request.merged`, … */
  readonly type: string;
  /** An endpoint hears the messages of one stream in order. */
  readonly stream: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  /** The body that is sent and signed, as JSON text. */
  readonly payload: string;
}

/** What an organisation is told, worked out only when somebody listens. */
export interface Announcement {
  readonly organisation: string;
  readonly messages: () => readonly WebhookMessage[];
}
