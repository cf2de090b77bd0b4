import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { Posted, WebhookPoster } from "../../ports/webhooks/webhook-poster.ts";
import type {
  ClaimedMessage,
  WebhookDeliveries,
  WebhookDelivery,
} from "../../store/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoint, WebhookEndpoints } from "../../store/webhooks/webhook-endpoints.ts";
import type { SecretSeal } from "../access/secret-seal.ts";
import { LeasedWorker } from "../workers/leased-worker.ts";
import { messageOf } from "../workers/retry.ts";
import { renderBody } from "./chat-message.ts";
import { signedHeaders } from "./sign.ts";

/** What is needed to send messages to subscribers. */
export interface OutboundWebhooks {
  readonly endpoints: WebhookEndpoints;
  readonly deliveries: WebhookDeliveries;
  readonly poster: WebhookPoster;
  readonly seal: SecretSeal;
  readonly clock: Clock;
}

interface SenderOptions extends OutboundWebhooks {
  readonly owner: string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly leaseMs: number;
}

/**
 * The maximum number of concurrent requests to one endpoint. There is no overall limit, because hanging
 * endpoints would use it up.
 */
const atOncePerEndpoint = 4;

/** Sends waiting messages to endpoints until they are accepted or given up. */
export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #worker: LeasedWorker<ClaimedMessage>;
  readonly #underWay = new Map<string, number>();
  /** Whether there was a subscriber when it was last checked. Every commit calls `wake`, and usually there is none. */
  #anybodyListens = true;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { deliveries, owner, clock, log, leaseMs } = options;
    this.#worker = new LeasedWorker({
      name: "webhooks",
      owner,
      rows: {
        claim: (claim) => this.#claim(claim),
        renew: (row, leaseUntil) => deliveries.renew(row, leaseUntil),
        nextDue: () => this.#nextDue(),
      },
      execute: (row) => this.#send(row).finally(() => this.#count(row.endpointId, -1)),
      clock,
      log,
      leaseMs,
      concurrency: Number.POSITIVE_INFINITY,
    });
  }

  start(): void {
    this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  /** Must be called when messages were added. */
  wake(): void {
    if (this.#anybodyListens) this.#worker.wake();
  }

  /** Must be called when an endpoint may be new or enabled again. */
  lookAgain(): void {
    this.#anybodyListens = true;
    this.#worker.wake();
  }

  async #claim(claim: Parameters<WebhookDeliveries["claim"]>[0]): Promise<readonly ClaimedMessage[]> {
    const claimed = await this.#options.deliveries.claim(claim, (endpointId) => this.#room(endpointId));
    for (const { endpointId } of claimed) this.#count(endpointId, 1);
    return claimed;
  }

  /**
   * Messages whose endpoint has no room become due when another request to it ends, which wakes the worker.
   */
  async #nextDue(): Promise<number | null> {
    const due = await this.#options.deliveries.nextDue();
    this.#anybodyListens = due.size > 0;
    const times = [...due].flatMap(([id, at]) => (at === null || this.#room(id) <= 0 ? [] : [at]));
    return times.length === 0 ? null : Math.min(...times);
  }

  #room(endpointId: string): number {
    return atOncePerEndpoint - (this.#underWay.get(endpointId) ?? 0);
  }

  #count(endpointId: string, change: 1 | -1): void {
    const count = (this.#underWay.get(endpointId) ?? 0) + change;
    if (count === 0) this.#underWay.delete(endpointId);
    else this.#underWay.set(endpointId, count);
  }

  async #send(row: ClaimedMessage): Promise<void> {
    const { endpoints, deliveries, clock, random, log } = this.#options;
    const endpoint = await endpoints.find(null, row.endpointId);
    // The endpoint was removed meanwhile; its messages are being deleted, too.
    if (!endpoint) return;
    const posted = await this.#post(endpoint, row);
    const at = clock.now();
    const error = problemOf(posted);
    const status = posted.kind === "answered" ? posted.status : null;
    const again = error === null ? null : retryAt(row, posted, at, random());
    await deliveries.conclude(row, { at, status, error }, again);
    if (error === null) return;
    const fields = { webhook: row.endpointId, message: row.messageId, attempts: row.attempts + 1, status };
    if (again === null) log.error(fields, `gave up on a webhook, which can be sent again by hand: ${error}`);
    else log.warn(fields, `a webhook was not accepted and will be sent again: ${error}`);
  }

  async #post(endpoint: WebhookEndpoint, { messageId, payload }: ClaimedMessage): Promise<Posted> {
    const { poster, clock } = this.#options;
    const sentAt = clock.now();
    try {
      const secrets = this.#secretsOf(endpoint, sentAt);
      const body = renderBody(endpoint.format, payload);
      const headers = signedHeaders(secrets, { id: messageId, sentAt, body });
      return await poster.post(endpoint.url, headers, body);
    } catch (error) {
      return { kind: "failed", error: `it could not be written and signed: ${messageOf(error)}` };
    }
  }

  #secretsOf({ id, secret, previous }: WebhookEndpoint, now: number): string[] {
    const sealed = previous && previous.until > now ? [secret, previous.secret] : [secret];
    return sealed.map((one) => this.#options.seal.open(one, id));
  }
}

function problemOf(posted: Posted): string | null {
  if (posted.kind === "failed") return posted.error;
  return posted.status >= 200 && posted.status < 300 ? null : `it answered ${posted.status}`;
}

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
