import { type Actor, renderActor } from "../../engine/model/actor.ts";
import { defaultSettings, type QueueSettings } from "../../engine/model/settings.ts";

/** The default number of concurrent tests in GitHub's own merge queue. */
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
 * The settings of a new queue: the given ones, and defaults that suit a team of ten. If any setting about
 * batches or the policy `fixed` was given, the batch settings keep the defaults of the API contract.
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

type Changes = Readonly<Partial<QueueSettings>>;

const examined = ["mergeMethod", "requiredStatuses", "submitByAutoMerge"] as const;

/** Whether changes can keep the queue from working, because the rules of the repository may conflict with them. */
export function isToExamine(changes: Changes): boolean {
  return examined.some((name) => changes[name] !== undefined);
}

/** Records who disables commands in comments, so that refused commands can name that person. */
export function commandsTurnedOff(changes: Changes, before: QueueSettings, actor: Actor): Changes {
  if (changes.commandsEnabled === undefined || changes.commandsEnabled === before.commandsEnabled) return {};
  return { commandsDisabledBy: changes.commandsEnabled ? null : nameOf(actor) };
}

function nameOf(actor: Actor): string {
  return actor.kind === "token" ? `the API token ${JSON.stringify(actor.name)}` : renderActor(actor);
}
