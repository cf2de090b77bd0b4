/**
 * Something that cannot happen between a correct client and GitHub. A test or a demo that ends with one has
 * found a bug: of the caller (`request`, `unimplemented`) or of the sandbox (`response`, `webhook`,
 * `background`).
 */
export interface Violation {
  kind: "request" | "unimplemented" | "response" | "webhook" | "background";
  /** The operation id, the webhook's name, or what was going on. */
  subject: string;
  detail: string;
}
