import type { WebhookDelivery } from "../../ports/webhook-deliveries.ts";
import type { Posted } from "../../ports/webhook-poster.ts";

const firstMs = 5_000;
const longestMs = 60 * 60_000;

/**
 * When a message that was not accepted is sent again: after 5 s, 10 s, 20 s … 1 h, up to half of that sooner by chance (0 to 1),
 * so that what failed together does not come again together; not before the endpoint has asked for. The last time is when its
 * day is over; null after that.
 */
export function retryAt(
  { attempts, giveUpAt }: Pick<WebhookDelivery, "attempts" | "giveUpAt">,
  posted: Posted,
  now: number,
  chance: number,
): number | null {
  if (now >= giveUpAt) return null;
  const backoff = Math.min(firstMs * 2 ** attempts, longestMs) * (1 - chance / 2);
  const asked = posted.kind === "answered" ? (posted.retryAfterMs ?? 0) : 0;
  return Math.min(now + Math.round(Math.max(backoff, Math.min(asked, longestMs))), giveUpAt);
}
