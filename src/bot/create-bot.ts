import { Probot } from "probot";
import type { Inbox, InboxRow } from "../ports/inbox.ts";
import type { Clock } from "../ports/runtime.ts";
import { LeasedWorker } from "../service/leased-worker.ts";
import { lagSteps } from "../service/metrics/inbox-lag.ts";
import { messageOf, retryDelayMs } from "../service/retry.ts";
import { createApp } from "./app.ts";
import { ownerOf } from "./delivery.ts";
import { handleDelivery, isFound } from "./handle-delivery.ts";
import type { BotParts } from "./parts.ts";

export interface BotCredentials {
  readonly appId: number;
  readonly privateKey: string;
  readonly secret: string;
  readonly apiUrl: string;
}

const deliveriesAtOnce = 8;
/** After so many tries a delivery is parked, where people can look at it. */
const maxAttempts = 10;
const forgetAfterMs = 30 * 24 * 60 * 60 * 1000;
const forgetEveryMs = 6 * 60 * 60 * 1000;

export interface CreateBotOptions {
  readonly parts: BotParts;
  readonly inbox: Inbox;
  readonly credentials: BotCredentials;
  readonly clock: Clock;
  /** Who claims deliveries, for people who look at the table. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly probotLog: NonNullable<ConstructorParameters<typeof Probot>[0]>["log"];
}

/** The Probot app and the worker of its inbox. */
export async function createBot(options: CreateBotOptions) {
  const { parts, inbox, credentials, clock, owner, leaseMs, probotLog } = options;
  const { appId, privateKey, secret, apiUrl: baseUrl } = credentials;
  const probot = new Probot({ appId, privateKey, secret, baseUrl, ...(probotLog ? { log: probotLog } : {}) });
  await probot.load(createApp(inbox, clock, () => worker.wake()));
  const worker = new LeasedWorker<InboxRow>({
    name: "inbox",
    owner,
    rows: {
      claim: (claim) => inbox.claim(claim),
      renew: (row, leaseUntil) => inbox.renew(row, leaseUntil),
      nextDue: () => inbox.nextDue(),
    },
    execute: (row) => handle(parts, inbox, clock, row),
    clock,
    log: parts.log,
    leaseMs,
    concurrency: deliveriesAtOnce,
  });
  let forgetting: NodeJS.Timeout | null = null;
  const forget = () =>
    inbox
      .forget(clock.now() - forgetAfterMs)
      .catch((error: unknown) => parts.log.warn({ err: error }, "could not forget old deliveries"));
  return {
    probot,
    wake: () => worker.wake(),
    start(): void {
      worker.start();
      forgetting = setInterval(forget, forgetEveryMs);
    },
    async stop(): Promise<void> {
      if (forgetting) clearInterval(forgetting);
      await worker.stop();
    },
  };
}

async function handle(parts: BotParts, inbox: Inbox, clock: Clock, row: InboxRow): Promise<void> {
  const fields = { delivery: row.id, event: row.event, action: row.action, attempts: row.attempts };
  try {
    await handleDelivery(parts, row);
    const source = isFound(row.event) ? "poll" : "webhook";
    await inbox.settle(row, lagSteps(ownerOf(row.stream), source, clock.now() - row.receivedAt));
  } catch (error) {
    const message = messageOf(error);
    if (row.attempts + 1 >= maxAttempts) {
      parts.log.error({ ...fields, err: error }, `parked a delivery that could not be handled: ${message}`);
      await inbox.park(row, message);
    } else {
      parts.log.warn({ ...fields, err: error }, `a delivery will be handled again: ${message}`);
      await inbox.postpone(row, clock.now() + retryDelayMs(error, row.attempts), message);
    }
  }
}
