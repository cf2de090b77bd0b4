import { engineLimits, type QueueSettings, strategyFor } from "../../engine/model/settings.ts";
import { shownNamesHint } from "../../engine/reasons/missing-check-reason.ts";
import type { QueueChangesBody } from "./queue-settings.ts";

type Changes = Readonly<Partial<QueueChangesBody>>;

/** Returns a sentence for each requested change that does not have its full effect. `settings` are those after the changes. */
export function settingWarnings(changes: Changes, settings: QueueSettings): string[] {
  return [
    ...clampingWarnings(changes),
    ...beliefsWarnings(changes, settings),
    ...batchWarnings(changes, settings),
    ...requiredStatusesWarnings(changes),
  ];
}

function clampingWarnings(changes: Changes): string[] {
  const limits = Object.entries(engineLimits) as [keyof typeof engineLimits, number][];
  return limits
    .filter(([setting, limit]) => (changes[setting] ?? 0) > limit)
    .map(
      ([setting, limit]) =>
        `${setting} is stored as ${changes[setting]}, but works as ${limit}, its maximum.`,
    );
}

/** A change of one of these settings can make `pendingFailureDepth` ineffective. */
const ordering = ["pendingFailureDepth", "policy", "mode", "concurrency"] as const;

function beliefsWarnings(changes: Changes, settings: QueueSettings): string[] {
  if (strategyFor(settings) !== "beliefs") return [];
  const { pendingFailureDepth: depth } = settings;
  const order = "while tests are ordered by how likely each pull request is to be at fault";
  const warnings: string[] = [];
  if (depth > 0 && ordering.some((name) => changes[name] !== undefined))
    warnings.push(
      `pendingFailureDepth is stored as ${depth}, but has no effect ${order}: a pull request that failed is tested again, whatever the tests behind it say. With the policy fixed it waits for them.`,
    );
  if (changes.optimizationMode === "off")
    warnings.push(
      `optimizationMode is stored as off, but has no effect ${order}: nothing is bisected, and no test whose result is known is repeated.`,
    );
  return warnings;
}

/** Clients that know only some of the settings about batches do not notice that others make these ineffective. */
function batchWarnings(changes: Changes, { batch, batchSizing }: QueueSettings): string[] {
  const isHidden = batch
    ? batchSizing === "by_load" && changes.batchSizing === undefined
    : changes.batch === undefined;
  if (!isHidden) return [];
  const because = batch ? "batchSizing is by_load, so batches do not wait" : "batch is false";
  return (["batchingMinSize", "batchingMaxWaitTimeMinutes"] as const)
    .filter((name) => changes[name] !== undefined)
    .map((name) => `${name} is stored as ${changes[name]}, but has no effect: ${because}.`);
}

function requiredStatusesWarnings({ requiredStatuses, deleteRequiredStatuses }: Changes): string[] {
  if (deleteRequiredStatuses || !requiredStatuses) return [];
  const hint = shownNamesHint(requiredStatuses, (name) => `"${name}"`);
  if (hint !== null)
    return [`${hint}. Only a job of a reusable workflow has a check with " / " in its name.`];
  if (requiredStatuses.length > 0) return [];
  return [
    "An empty requiredStatuses removes the list: the required checks come from the repository file or the branch's protection, as with deleteRequiredStatuses. A queue that requires no checks is not possible.",
  ];
}
