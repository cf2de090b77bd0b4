import type { Outbox } from "../ports/outbox.ts";

/** An outbox whose worker looks at once at what is put in. */
export function wakingOutbox(outbox: Outbox, wake: () => void): Outbox {
  return {
    add: async (planned) => {
      await outbox.add(planned);
      wake();
    },
    claim: (claim) => outbox.claim(claim),
    settle: (id) => outbox.settle(id),
    postpone: (id, notBefore, error) => outbox.postpone(id, notBefore, error),
    renew: (id, leaseUntil) => outbox.renew(id, leaseUntil),
    nextDue: () => outbox.nextDue(),
    backlog: () => outbox.backlog(),
    depth: () => outbox.depth(),
  };
}
