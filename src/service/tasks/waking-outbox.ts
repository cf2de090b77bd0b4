import type { Outbox } from "../../ports/outbox.ts";

/** An outbox that wakes its worker whenever a task is added. */
export function wakingOutbox(outbox: Outbox, wake: () => void): Outbox {
  return {
    add: async (planned) => {
      await outbox.add(planned);
      wake();
    },
    claim: (claim) => outbox.claim(claim),
    settle: (row) => outbox.settle(row),
    postpone: (...postponement) => outbox.postpone(...postponement),
    hasten: async (streams, notBefore) => {
      await outbox.hasten(streams, notBefore);
      wake();
    },
    renew: (row, leaseUntil) => outbox.renew(row, leaseUntil),
    nextDue: () => outbox.nextDue(),
    backlog: () => outbox.backlog(),
    depth: () => outbox.depth(),
  };
}
