import { Bors } from "./bors.ts";
import { Optimistic } from "./optimistic.ts";
import { Oracle } from "./oracle.ts";
import type { ReferencePolicy, ReferenceQueue } from "./reference-run.ts";
import { Serial } from "./serial.ts";
import { SubmitQueue } from "./submit-queue.ts";

/** The policies that Trainyard's policy is compared with. */
export const referencePolicies = {
  serial: (queue) => new Serial(queue),
  bors: (queue) => new Bors(queue),
  optimistic: (queue) => new Optimistic(queue),
  github: (queue) => new Optimistic(queue, true),
  submitqueue: (queue) => new SubmitQueue(queue),
  oracle: (queue) => new Oracle(queue),
} as const satisfies Record<string, (queue: ReferenceQueue) => ReferencePolicy>;

export type ReferencePolicyName = keyof typeof referencePolicies;

export function isReferencePolicyName(name: string): name is ReferencePolicyName {
  return Object.hasOwn(referencePolicies, name);
}
