import { Probot } from "probot";
import { givenUpStep } from "../service/metrics/given-up.ts";
import { type IgnoredReason, ignoredStep } from "../service/metrics/ignored.ts";
import { lagSteps } from "../service/metrics/inbox-lag.ts";
import { LeasedWorker } from "../service/workers/leased-worker.ts";
import { PeriodicTask } from "../service/workers/periodic-task.ts";
import { messageOf } from "../service/workers/retry.ts";
import type { Delivery, InboxRow } from "../store/leased/inbox.ts";
import type { Bot } from "./bot.ts";
import { answerGivenUp } from "./deliveries/answer-given-up.ts";
import {
  commandedAt,
  events,
  forgetAfterMs,
  maxCommandAgeMs,
  ownerOf,
  toDelivery,
} from "./deliveries/delivery.ts";
import { handleDelivery, isFound } from "./deliveries/handle-delivery.ts";
import { isRefused, meetsObstacle, nextTry, repositoryOfStream } from "./deliveries/next-try.ts";
import { checkRunPayload } from "./deliveries/payload.ts";
import { noteCheckRun } from "./events/on-check.ts";
import { CommandPoller } from "./events/poll-commands.ts";

interface BotCredentials {
  readonly appId: number;
  readonly privateKey: string;
  readonly secret: string;
  readonly apiUrl: string;
}

const deliveriesAtOnce = 8;
const forgetEveryMs = 6 * 60 * 60 * 1000;
/** A day longer than commands are accepted, because a clock may be wrong. */
const forgetCommandsAfterMs = maxCommandAgeMs + 24 * 60 * 60 * 1000;

interface CreateBotOptions {
  readonly bot: Bot;
  readonly credentials: BotCredentials;
  /** The owner of claims on deliveries, for people who read the table. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly probotLog: NonNullable<ConstructorParameters<typeof Probot>[0]>["log"];
}

/** Creates the Probot app, the worker of its inbox, and the poller that finds commands whose webhooks were lost. */
export async function createBot({ bot, credentials, owner, leaseMs, pollMs, probotLog }: CreateBotOptions) {
  const { inbox, commands, clock, log } = bot;
  const { appId, privateKey, secret, apiUrl: baseUrl } = credentials;
  const probot = new Probot({ appId, privateKey, secret, baseUrl, ...(probotLog ? { log: probotLog } : {}) });
  const onAdded = () => worker.wake();
  await probot.load((app) => storeDeliveries(app, bot, onAdded));
  /** How often each row has failed. Absences of GitHub or the queue, and obstacles, are not counted. */
  const faults = new Map<number, number>();
  const worker = new LeasedWorker<InboxRow>({
    name: "inbox",
    owner,
    rows: inbox,
    execute: (row) => handle(bot, row, faults),
    clock,
    log,
    leaseMs,
    concurrency: deliveriesAtOnce,
  });
  const forgetting = new PeriodicTask({
    run: async () => {
      await inbox.forget(clock.now() - forgetAfterMs);
      // Commands that are older than the forgotten ones are ignored because of their age.
      await commands.forget(clock.now() - forgetCommandsAfterMs);
    },
    everyMs: forgetEveryMs,
    purpose: "forget old deliveries and commands",
    log,
    level: "warn",
  });
  return { probot, worker, forgetting, poller: new CommandPoller(bot, pollMs, onAdded) };
}

/**
 * Only makes deliveries durable, because GitHub waits ten seconds for an answer and never repeats a delivery by itself. The work is done
 * afterwards, from the inbox.
 *
 * @param onAdded called when something was put into the inbox.
 */
function storeDeliveries(app: Probot, bot: Bot, onAdded: () => void): void {
  const { inbox, meters, clock, log } = bot;
  async function ignore({ id, event, action, stream }: Delivery, reason: IgnoredReason): Promise<void> {
    log.warn({ delivery: id, event, action, stream, reason }, "ignored a delivery");
    await meters.add([ignoredStep(ownerOf(stream), reason)]);
  }
  // The start of a check is only displayed, so it needs no row in the inbox.
  app.on("check_run.created", ({ payload }) => {
    const { data } = checkRunPayload.safeParse(payload);
    if (data) noteCheckRun(bot, data);
  });
  app.on([...events], async ({ id, name, payload }) => {
    const now = clock.now();
    const delivery = toDelivery(id, name, payload, now);
    const at = commandedAt(name, payload);
    if (at !== null && at < now - maxCommandAgeMs) return ignore(delivery, "too_old");
    const added = await inbox.add(delivery);
    if (added === "added") onAdded();
    // Polling often finds a comment before its webhook arrives, which is normal.
    if (added === "repeated" && delivery.action !== "created") await ignore(delivery, "repeated");
  });
}

async function handle(bot: Bot, row: InboxRow, faults: Map<number, number>): Promise<void> {
  const { inbox, clock } = bot;
  const fields = { delivery: row.id, event: row.event, action: row.action, attempts: row.attempts };
  try {
    await handleDelivery(bot, row);
    const source = isFound(row.event) ? "poll" : "webhook";
    await inbox.settle(row, lagSteps(ownerOf(row.stream), source, clock.now() - row.receivedAt));
    await releaseMerges(bot, row);
  } catch (error) {
    const message = messageOf(error);
    const failed = faults.get(row.row) ?? 0;
    const ageMs = clock.now() - row.receivedAt;
    const obstacle = isRefused(error) && (await meetsObstacle(bot, row.stream));
    const { attempts } = row;
    const next = nextTry({ error, ageMs, attempts, faults: failed, meetsObstacle: obstacle });
    if (next.kind === "again") {
      if (next.isFault) faults.set(row.row, failed + 1);
      bot.log.warn({ ...fields, err: error }, `a delivery will be handled again: ${message}`);
      return inbox.postpone(row, clock.now() + next.inMs, message);
    }
    const { code } = next;
    bot.log.error({ ...fields, code, err: error }, `gave up a delivery: ${message}`);
    // Answered before the row is parked: two answers are better than none.
    await answerGivenUp(bot, row, code);
    const counts = [givenUpStep(ownerOf(row.stream), code)];
    await inbox.park(row, { code, error: message, at: clock.now() }, counts);
    await releaseMerges(bot, row);
  }
  faults.delete(row.row);
}

/** Deliveries that are not about pull requests hold no merge. */
async function releaseMerges({ relay, settings }: Bot, { stream }: InboxRow): Promise<void> {
  if (stream.includes("#")) await relay.inputHandled(repositoryOfStream(stream, settings.host));
}
