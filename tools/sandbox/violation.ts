/**
 * An event that cannot happen between a correct client and GitHub. A violation in a test or a demo shows a bug: of the caller
 * (`request`, `unimplemented`) or of the sandbox (`response`, `webhook`, `background`).
 */
export interface Violation {
  kind: "request" | "unimplemented" | "response" | "webhook" | "background";
  /** The operation id, the webhook's name, or the activity. */
  subject: string;
  detail: string;
}
