import { defaultSettings, type QueueSettings } from "../engine/model/settings.ts";

/** As many as GitHub's own merge queue tests at once by default. */
const slots = 5;

const aboutBatches = [
  "batch",
  "batchSizing",
  "batchingMinSize",
  "batchingMaxWaitTimeMinutes",
  "optimizationMode",
] as const satisfies readonly (keyof QueueSettings)[];

/** Batches are formed only while there are too few slots, and never wait for more entries. */
const batchesByLoad = {
  batch: true,
  batchSizing: "by_load",
  optimizationMode: "bisection_skip_redundant_tests",
} as const satisfies Partial<QueueSettings>;

/**
 * The settings of a new queue: those that were sent, and for the rest what suits a team of ten. If any setting about batches or the policy
 * `fixed` was sent, batches are as the contract describes them.
 */
export function settingsOfNewQueue(asked: Partial<QueueSettings>): QueueSettings {
  const concurrency = asked.concurrency ?? slots;
  const isLiteral = asked.policy === "fixed" || aboutBatches.some((name) => asked[name] !== undefined);
  const bisectionConcurrency = Math.min(concurrency, slots);
  return {
    ...defaultSettings,
    concurrency,
    bisectionConcurrency,
    ...(isLiteral ? {} : batchesByLoad),
    ...asked,
  };
}
