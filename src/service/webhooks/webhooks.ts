import { randomBytes } from "node:crypto";
import { nameKey } from "../../engine/model/names.ts";
import type { DeliveryQuery, WebhookDelivery } from "../../store/webhooks/webhook-deliveries.ts";
import type {
  EndpointChanges,
  WebhookEndpoint,
  WebhookFormat,
} from "../../store/webhooks/webhook-endpoints.ts";
import { accepted, type Outcome, type Refusal, refused } from "../runtime/outcome.ts";
import type { Subscription } from "./event-names.ts";
import { newSecret } from "./sign.ts";
import type { OutboundWebhooks } from "./webhook-sender.ts";

export interface NewWebhook {
  readonly organisation: string;
  readonly url: string;
  readonly events: readonly Subscription[];
  readonly description: string;
  /** Absent = `json`. */
  readonly format?: WebhookFormat;
}

export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly Subscription[] | undefined;
  readonly description?: string | undefined;
  readonly format?: WebhookFormat | undefined;
  readonly enabled?: boolean | undefined;
  /** The old secret also signs for one day. */
  readonly rotateSecret?: boolean | undefined;
}

/** An endpoint. Its secret is included only when it is new, because it is shown once. */
export interface ShownWebhook {
  readonly webhook: WebhookEndpoint;
  readonly secret: string | null;
  /** As it was before the change; null when it is new. */
  readonly before: WebhookEndpoint | null;
}

const mostPerOrganisation = 20;
const dayMs = 24 * 60 * 60_000;
const overlapMs = dayMs;

/**
 * The endpoints of an organisation, and the messages that were sent to them. Endpoints of other organisations
 * count as absent.
 */
export class Webhooks {
  readonly #outbound: OutboundWebhooks;
  readonly #onChange: () => void;

  /** @param onChange called when there may be something to send */
  constructor(outbound: OutboundWebhooks, onChange: () => void) {
    this.#outbound = outbound;
    this.#onChange = onChange;
  }

  async create({
    organisation,
    url,
    events,
    description,
    format = "json",
  }: NewWebhook): Promise<Outcome<ShownWebhook>> {
    const { endpoints, poster, seal, clock } = this.#outbound;
    const refusal = refusalOf(poster, url);
    if (refusal !== null) return refused(refusal);
    if (!seal.canSeal) return refused({ code: "ENCRYPTION_KEY_MISSING" });
    const id = `wh_${randomBytes(8).toString("hex")}`;
    const secret = newSecret();
    const webhook: WebhookEndpoint = {
      ...{ id, url, events, description, format },
      organisation: nameKey(organisation),
      enabled: true,
      secret: seal.seal(secret, id),
      previous: null,
      createdAt: clock.now(),
    };
    if ((await endpoints.add(webhook, mostPerOrganisation)) === "full")
      return refused({ code: "TOO_MANY_WEBHOOKS", most: mostPerOrganisation });
    this.#onChange();
    return accepted({ webhook, secret, before: null });
  }

  list(organisation: string | null): Promise<readonly WebhookEndpoint[]> {
    return this.#outbound.endpoints.list(organisation === null ? null : nameKey(organisation));
  }

  async update(organisation: string, id: string, changes: WebhookChanges): Promise<Outcome<ShownWebhook>> {
    const { endpoints, poster, seal, clock } = this.#outbound;
    const { rotateSecret, ...given } = changes;
    const refusal = given.url === undefined ? null : refusalOf(poster, given.url);
    if (refusal !== null) return refused(refusal);
    const known = await endpoints.find(nameKey(organisation), id);
    if (!known) return refused({ code: "WEBHOOK_NOT_FOUND", id });
    if (rotateSecret && !seal.canSeal) return refused({ code: "ENCRYPTION_KEY_MISSING" });
    const secret = rotateSecret ? newSecret() : null;
    const rotated = secret !== null && {
      secret: seal.seal(secret, id),
      previous: { secret: known.secret, until: clock.now() + overlapMs },
    };
    const said = Object.entries(given).filter(([, value]) => value !== undefined);
    const changed: EndpointChanges = { ...Object.fromEntries(said), ...(rotated || {}) };
    const revised = await endpoints.change(nameKey(organisation), id, changed);
    if (!revised) return refused({ code: "WEBHOOK_NOT_FOUND", id });
    this.#onChange();
    return accepted({ webhook: revised.after, secret, before: revised.before });
  }

  /** Returns the deleted endpoint; null when there is none. */
  delete(organisation: string, id: string): Promise<WebhookEndpoint | null> {
    const { endpoints, clock } = this.#outbound;
    return endpoints.remove(nameKey(organisation), id, clock.now());
  }

  async deliveries(
    organisation: string,
    id: string,
    query: DeliveryQuery,
  ): Promise<Outcome<{ deliveries: readonly WebhookDelivery[]; next: number | null }>> {
    const { endpoints, deliveries } = this.#outbound;
    if (!(await endpoints.find(nameKey(organisation), id))) return refused({ code: "WEBHOOK_NOT_FOUND", id });
    const found = await deliveries.list(id, { ...query, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    return accepted({
      deliveries: page,
      next: found.length > page.length ? (page.at(-1)?.id ?? null) : null,
    });
  }

  /**
   * Resends a message, also a delivered or waiting one. It is sent now, after the messages that wait before
   * it in its stream.
   */
  async resend(organisation: string, id: string, messageId: string): Promise<Outcome<WebhookDelivery>> {
    const { endpoints, deliveries, clock } = this.#outbound;
    if (!(await endpoints.find(nameKey(organisation), id))) return refused({ code: "WEBHOOK_NOT_FOUND", id });
    const now = clock.now();
    const delivery = await deliveries.resend(id, messageId, now, now + dayMs);
    if (!delivery) return refused({ code: "WEBHOOK_DELIVERY_NOT_FOUND", id: messageId });
    this.#onChange();
    return accepted(delivery);
  }
}

/** Why an address cannot be posted to; null when there is no objection. */
function refusalOf(poster: OutboundWebhooks["poster"], url: string): Refusal | null {
  const objection = poster.objection(url);
  if (objection !== null) return { code: "WEBHOOK_ADDRESS_REFUSED", objection };
  const port = poster.refusedPort(url);
  return port && { code: "WEBHOOK_PORT_REFUSED", ...port };
}
