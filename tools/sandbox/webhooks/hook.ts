import { randomUUID } from "node:crypto";
import { sign } from "@octokit/webhooks-methods";
import type { Background } from "../background.ts";
import { draw, drawBetween } from "../seeded-draw.ts";
import type { App } from "../world/account.ts";
import { type Delivery, HookTransport, packBody, unpackBody, type WebhookMessage } from "./hook-transport.ts";

/** Random faults of webhooks. Default: none. */
export interface WebhookFaults {
  /** Probability that an event is never sent and not listed among the deliveries. */
  drop?: number;
  /** Probability that an event is sent twice, with the same GUID. */
  duplicate?: number;
  /** Probability that later events overtake an event. */
  reorder?: number;
  /** How long after the event the webhook is sent, in milliseconds, from and to. */
  delayMs?: readonly [number, number];
}

/** The maximum delay of an event that later events overtake. */
const REORDER_WINDOW_MS = 500;
const USER_AGENT = "GitHub-Hookshot/5a4d80x";

interface Parcel {
  guid: string;
  message: WebhookMessage;
  dueAt: number;
}

interface HookOptions {
  app: App;
  secret: string;
  host: string;
  enterprise: string | null;
  seed: number;
  faults: WebhookFaults;
  background: Background;
  nextId: () => number;
  now: () => Date;
}

/**
 * The App's webhook. It signs events and delivers them one after the other. As on GitHub, a failed delivery is repeated only on
 * request.
 * https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries
 */
export class Hook {
  readonly deliveries: Delivery[] = [];
  url: string | null = null;
  readonly #options: HookOptions;
  readonly #transport = new HookTransport();
  readonly #queue: Parcel[] = [];
  #isBusy = false;
  #sequence = 0;

  constructor(options: HookOptions) {
    this.#options = options;
  }

  /** Accepts an event for delivery. Without a URL the event is ignored. */
  accept(message: WebhookMessage): void {
    if (this.url === null) return;
    const { seed, faults, background, now } = this.#options;
    const sequence = this.#sequence;
    this.#sequence += 1;
    const chance = (fault: string, probability = 0) => draw(seed, "webhook", fault, sequence) < probability;
    const wait = (reason: string, range: readonly [number, number]) =>
      drawBetween(seed, range, "webhook", reason, sequence);
    if (chance("drop", faults.drop)) return;
    const delay = wait("delay", faults.delayMs ?? [0, 0]);
    const parcel: Parcel = { guid: randomUUID(), message, dueAt: now().getTime() + delay };
    if (chance("reorder", faults.reorder)) {
      background.after(delay + wait("late", [0, REORDER_WINDOW_MS]), () => this.#attempt(parcel, false));
    } else this.#enqueue(parcel);
    if (chance("duplicate", faults.duplicate)) this.#enqueue(parcel);
  }

  /** Sends a delivery's event again, with its GUID and without faults. */
  redeliver(delivery: Delivery): void {
    const { guid, event, action, installationId, repositoryId } = delivery;
    const message: WebhookMessage = {
      event,
      action,
      body: unpackBody(delivery),
      installationId,
      repositoryId,
    };
    const parcel = { guid, message, dueAt: 0 };
    this.#options.background.run(() => this.#attempt(parcel, true));
  }

  close(): void {
    this.#transport.close();
  }

  #enqueue(parcel: Parcel): void {
    this.#queue.push(parcel);
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#options.background.run(() => this.#empty());
  }

  async #empty(): Promise<void> {
    const { background, now } = this.#options;
    for (let parcel = this.#queue[0]; parcel !== undefined; parcel = this.#queue[0]) {
      const wait = parcel.dueAt - now().getTime();
      if (wait > 0) {
        background.after(wait, () => this.#empty());
        return;
      }
      this.#queue.shift();
      await this.#attempt(parcel, false);
    }
    this.#isBusy = false;
  }

  async #attempt({ guid, message }: Parcel, redelivery: boolean): Promise<void> {
    const { app, secret, host, enterprise, now, nextId } = this.#options;
    if (this.url === null) return;
    const requestHeaders = {
      accept: "*/*",
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      "x-github-delivery": guid,
      "x-github-enterprise-host": host,
      ...(enterprise === null ? {} : { "x-github-enterprise-version": enterprise }),
      "x-github-event": message.event,
      "x-github-hook-id": String(app.id),
      "x-github-hook-installation-target-id": String(app.id),
      "x-github-hook-installation-target-type": "integration",
      "x-hub-signature-256": await sign(secret, message.body),
    };
    const deliveredAt = now();
    const started = performance.now();
    const url = this.url;
    const result = await this.#transport.post(url, requestHeaders, message.body);
    const { body, ...envelope } = message;
    this.deliveries.push({
      ...envelope,
      ...result,
      packedBody: packBody(body),
      id: nextId(),
      guid,
      url,
      redelivery,
      requestHeaders,
      deliveredAt,
      durationSeconds: Math.round(performance.now() - started) / 1000,
    });
  }
}
