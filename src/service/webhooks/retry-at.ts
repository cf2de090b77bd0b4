import type { Posted } from "../../ports/webhooks/webhook-poster.ts";
import type { WebhookDelivery } from "../../store/webhooks/webhook-deliveries.ts";

const firstMs = 5_000;
const longestMs = 60 * 60_000;

/**
 * When a message that was not accepted is sent again: after 5 s, 10 s, 20 s … 1 h, shortened at random by up
 * to half (`chance` from 0 to 1), so that messages that failed together are not retried together. Not before
 * the time that the endpoint requested, up to an hour. The last attempt is at `giveUpAt`; null after that.
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
