/** What came of posting. */
export type Posted =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs: number | null }
  /** Nothing was sent, or no answer came. */
  | { readonly kind: "failed"; readonly error: string };

export interface PortRefusal {
  readonly port: number;
  readonly allowed: readonly number[];
}

/** Posts to addresses that users have chosen, and never to one that is not theirs to choose. */
export interface WebhookPoster {
  /** Why an address cannot be posted to, as far as its text tells; null when nothing speaks against it. */
  objection(url: string): string | null;
  /** The port of an address, and those that are allowed, where it is none of them; null otherwise. */
  refusedPort(url: string): PortRefusal | null;
  /** Posts JSON. Follows no redirect. Ends within a bounded time; never throws. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>;
}
