import { Probot } from "probot";
import type { Clock } from "../ports/code-host/runtime.ts";
import { givenUpStep } from "../service/metrics/given-up.ts";
import { lagSteps } from "../service/metrics/inbox-lag.ts";
import { LeasedWorker } from "../service/workers/leased-worker.ts";
import { PeriodicTask } from "../service/workers/periodic-task.ts";
import { messageOf } from "../service/workers/retry.ts";
import type { Inbox, InboxRow } from "../store/leased/inbox.ts";
import type { MeterStore } from "../store/leased/meter-store.ts";
import type { CommandLog } from "../store/queue/command-log.ts";
import { createApp } from "./app.ts";
import { isRefused, nextTry } from "./commands/next-try.ts";
import { answerGivenUp } from "./deliveries/answer-given-up.ts";
import { ownerOf } from "./deliveries/delivery.ts";
import { handleDelivery, isFound } from "./deliveries/handle-delivery.ts";
import { meetsObstacle, repositoryOfStream } from "./deliveries/meets-obstacle.ts";
import { forgetAfterMs, maxCommandAgeMs } from "./deliveries/memory.ts";
import { checkRunPayload } from "./deliveries/payload.ts";
import { noteCheckRun } from "./events/on-check.ts";
import type { BotParts } from "./parts.ts";

export interface BotCredentials {
  readonly appId: number;
  readonly privateKey: string;
  readonly secret: string;
  readonly apiUrl: string;
}

const deliveriesAtOnce = 8;
const forgetEveryMs = 6 * 60 * 60 * 1000;
/** A day longer than commands are accepted, because a clock may be wrong. */
const forgetCommandsAfterMs = maxCommandAgeMs + 24 * 60 * 60 * 1000;

export interface CreateBotOptions {
  readonly parts: BotParts;
  readonly inbox: Inbox;
  readonly commands: Pick<CommandLog, "forget">;
  readonly meters: Pick<MeterStore, "add">;
  readonly credentials: BotCredentials;
  readonly clock: Clock;
  /** The owner of claims on deliveries, for people who look at the table. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly probotLog: NonNullable<ConstructorParameters<typeof Probot>[0]>["log"];
}

/** Creates the Probot app and the worker of its inbox. */
export async function createBot(options: CreateBotOptions) {
  const { parts, inbox, commands, meters, credentials, clock, owner, leaseMs, probotLog } = options;
  const { appId, privateKey, secret, apiUrl: baseUrl } = credentials;
  const probot = new Probot({ appId, privateKey, secret, baseUrl, ...(probotLog ? { log: probotLog } : {}) });
  await probot.load(
    createApp({
      inbox,
      meters,
      clock,
      log: parts.log,
      onAdded: () => worker.wake(),
      onCheckCreated: (payload) => {
        const { data } = checkRunPayload.safeParse(payload);
        if (data) noteCheckRun(parts, data);
      },
    }),
  );
  const worker = new LeasedWorker<InboxRow>({
    name: "inbox",
    owner,
    rows: inbox,
    execute: (row) => handle(parts, inbox, clock, row, faults),
    clock,
    log: parts.log,
    leaseMs,
    concurrency: deliveriesAtOnce,
  });
  /** How often each row has failed, not counting absences of GitHub or the queue, and obstacles. */
  const faults = new Map<number, number>();
  const forgetting = new PeriodicTask({
    run: async () => {
      await inbox.forget(clock.now() - forgetAfterMs);
      // Earlier commands than the forgotten ones are ignored because of their age.
      await commands.forget(clock.now() - forgetCommandsAfterMs);
    },
    everyMs: forgetEveryMs,
    purpose: "forget old deliveries and commands",
    log: parts.log,
    level: "warn",
  });
  return {
    probot,
    worker,
    forgetting,
  };
}

async function handle(
  parts: BotParts,
  inbox: Inbox,
  clock: Clock,
  row: InboxRow,
  faults: Map<number, number>,
): Promise<void> {
  const fields = { delivery: row.id, event: row.event, action: row.action, attempts: row.attempts };
  try {
    await handleDelivery(parts, row);
    const source = isFound(row.event) ? "poll" : "webhook";
    await inbox.settle(row, lagSteps(ownerOf(row.stream), source, clock.now() - row.receivedAt));
    await releaseMerges(parts, row);
  } catch (error) {
    const message = messageOf(error);
    const failed = faults.get(row.row) ?? 0;
    const ageMs = clock.now() - row.receivedAt;
    const obstacle = isRefused(error) && (await meetsObstacle(parts, row.stream));
    const next = nextTry({
      error,
      ageMs,
      attempts: row.attempts,
      faults: failed,
      meetsObstacle: obstacle,
    });
    if (next.kind === "again") {
      if (next.isFault) faults.set(row.row, failed + 1);
      parts.log.warn({ ...fields, err: error }, `a delivery will be handled again: ${message}`);
      return inbox.postpone(row, clock.now() + next.inMs, message);
    }
    const { code } = next;
    parts.log.error({ ...fields, code, err: error }, `gave up a delivery: ${message}`);
    // Before the row is parked: to answer twice is better than not at all.
    await answerGivenUp(parts, row, code);
    const counts = [givenUpStep(ownerOf(row.stream), code)];
    await inbox.park(row, { code, error: message, at: clock.now() }, counts);
    await releaseMerges(parts, row);
  }
  faults.delete(row.row);
}

/** Deliveries about other things than pull requests hold no merge. */
async function releaseMerges({ relay, settings }: BotParts, { stream }: InboxRow): Promise<void> {
  if (stream.includes("#")) await relay.inputHandled(repositoryOfStream(stream, settings.host));
}
