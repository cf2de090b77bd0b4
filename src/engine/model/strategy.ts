import { effective, type QueueSettings } from "./settings.ts";

/**
 * How the tests of a queue are ordered. `line`: each on top of everything ahead that it depends on, batches bisected. `beliefs`: by how
 * likely each pull request is to be at fault, given every test so far.
 */
export type Strategy = "line" | "beliefs";

/** From this many slots on, beliefs merge sooner than a line (ADR 84, ADR 87). */
const slotsForBeliefs = { single: 3, parallel: 16 };

/** The strategy that suits the settings. In one line, beliefs need batches of any size, and do not wait for successors of what failed. */
export function strategyFor(settings: QueueSettings): Strategy {
  const { policy, mode, batch, batchSizing, pendingFailureDepth } = settings;
  if (policy !== "adaptive") return unsaidStrategy(settings);
  if (effective(settings, "concurrency") < slotsForBeliefs[mode]) return "line";
  const isAnySize = batch && batchSizing === "by_load";
  return mode === "parallel" || (isAnySize && pendingFailureDepth === 0) ? "beliefs" : "line";
}

/** Of a policy by itself. In logs that are older than strategies, `adaptive` always went by beliefs. */
export function unsaidStrategy({ policy }: Pick<QueueSettings, "policy">): Strategy {
  return policy === "fixed" ? "line" : "beliefs";
}

export function usesBeliefs({ strategy }: { readonly strategy: Strategy }): boolean {
  return strategy === "beliefs";
}
