import type { Probot } from "probot";
import type { Inbox } from "../ports/inbox.ts";
import type { Clock } from "../ports/runtime.ts";
import { events, toDelivery } from "./delivery.ts";

/**
 * The Probot app. It only makes deliveries durable: GitHub waits ten seconds for an answer and never sends a delivery again
 * by itself, so that the work is done afterwards, from the inbox.
 */
export function createApp(inbox: Inbox, clock: Clock, onAdded: () => void): (app: Probot) => void {
  return (app) => {
    app.on([...events], async ({ id, name, payload }) => {
      await inbox.add(toDelivery(id, name, payload, clock.now()));
      onAdded();
    });
  };
}
