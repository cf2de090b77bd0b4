import { effective, type QueueSettings } from "../settings.ts";

/**
 * How the tests of a queue are ordered. `line`: each test is on top of all dependencies ahead, and failed batches are bisected. `beliefs`:
 * the tests are chosen by the probability that each pull request is at fault, given all tests so far.
 */
export type Strategy = "line" | "beliefs";

/** From this number of slots on, the strategy `beliefs` merges sooner than `line` (ADR 84). */
const slotsForBeliefs = { single: 3, parallel: 16 };

/**
 * Returns the strategy for the settings. In `single` mode, `beliefs` needs batches of any size, and does not support waiting for successors
 * of a failed entry.
 */
export function strategyFor(settings: QueueSettings): Strategy {
  const { policy, mode, batch, batchSizing, pendingFailureDepth } = settings;
  if (policy !== "adaptive") return firstStrategy(settings);
  if (effective(settings, "concurrency") < slotsForBeliefs[mode]) return "line";
  const isAnySize = batch && batchSizing === "by_load";
  return mode === "parallel" || (isAnySize && pendingFailureDepth === 0) ? "beliefs" : "line";
}

/** The strategy with which a policy begins. With `adaptive`, the next decision chooses another one if the settings require it. */
export function firstStrategy({ policy }: Pick<QueueSettings, "policy">): Strategy {
  return policy === "fixed" ? "line" : "beliefs";
}
