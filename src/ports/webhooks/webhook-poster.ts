export type Posted =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs: number | null }
  /** Nothing was sent, or no response came. */
  | { readonly kind: "failed"; readonly error: string };

export interface PortRefusal {
  readonly port: number;
  readonly allowed: readonly number[];
}

/** Posts to addresses that users choose. Never posts to an address that users must not reach. */
export interface WebhookPoster {
  /** Why an address cannot be posted to, judged by its text alone; null when there is no objection. */
  objection(url: string): string | null;
  /** The port of an address and the permitted ports, if the port is not permitted; otherwise null. */
  refusedPort(url: string): PortRefusal | null;
  /** Posts JSON. Follows no redirect. Ends within a bounded time; never throws. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>;
}
