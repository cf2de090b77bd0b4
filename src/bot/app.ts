import type { Probot } from "probot";
import type { Clock, Logger } from "../ports/code-host/runtime.ts";
import { type IgnoredReason, ignoredStep } from "../service/metrics/ignored.ts";
import type { Delivery, Inbox } from "../store/leased/inbox.ts";
import type { MeterStore } from "../store/leased/meter-store.ts";
import { commandedAt, events, ownerOf, toDelivery } from "./deliveries/delivery.ts";
import { maxCommandAgeMs } from "./deliveries/memory.ts";

export interface AppParts {
  readonly inbox: Inbox;
  readonly meters: Pick<MeterStore, "add">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onAdded: () => void;
  /** Called when a check has begun. That is only displayed, so it needs no row in the inbox. */
  readonly onCheckCreated: (payload: unknown) => void;
}

/**
 * The Probot app. It only makes deliveries durable: GitHub waits ten seconds for an answer and never sends a delivery again
 * by itself. The work is done afterwards, from the inbox.
 */
export function createApp({
  inbox,
  meters,
  clock,
  log,
  onAdded,
  onCheckCreated,
}: AppParts): (app: Probot) => void {
  async function ignore({ id, event, action, stream }: Delivery, reason: IgnoredReason): Promise<void> {
    log.warn({ delivery: id, event, action, stream, reason }, "ignored a delivery");
    await meters.add([ignoredStep(ownerOf(stream), reason)]);
  }
  return (app) => {
    app.on("check_run.created", ({ payload }) => onCheckCreated(payload));
    app.on([...events], async ({ id, name, payload }) => {
      const now = clock.now();
      const delivery = toDelivery(id, name, payload, now);
      const at = commandedAt(name, payload);
      if (at !== null && at < now - maxCommandAgeMs) return ignore(delivery, "too_old");
      const added = await inbox.add(delivery);
      if (added === "added") onAdded();
      // It is normal that polling finds a comment before its webhook arrives.
      if (added === "repeated" && delivery.action !== "created") await ignore(delivery, "repeated");
    });
  };
}
