import { defaultSettings, type QueueSettings } from "../../engine/model/settings.ts";
import type { WorkloadSettings } from "../workload/workload.ts";

const maxSetting = 4_294_967_295;

const choices: Readonly<Record<string, readonly string[]>> = {
  policy: ["fixed", "adaptive", "beliefs"],
  mode: ["single", "parallel"],
  testingTimeout: ["fixed", "auto"],
  directMergeMode: ["off", "always"],
  batchSizing: ["minimum", "by_load"],
  optimizationMode: ["off", "bisection_skip_redundant_tests"],
  mergeMethod: ["merge_commit", "squash", "rebase"],
};

/** The settings of the reference figures when no other settings are given: every option that saves CI and time. */
const recommended: Partial<QueueSettings> = {
  pendingFailureDepth: 1,
  batch: true,
  batchSizing: "by_load",
  optimizationMode: "bisection_skip_redundant_tests",
};

/**
 * Returns the settings of a queue that has all workers to itself.
 * @param changes settings that override a new queue's defaults; null, or a policy alone = the recommended settings
 */
export function queueSettings(
  mode: QueueSettings["mode"],
  { workers, scope }: Pick<WorkloadSettings, "workers" | "scope">,
  changes: Partial<QueueSettings> | null,
): QueueSettings {
  const { policy = defaultSettings.policy, ...others } = changes ?? {};
  // If a test judges only its own members, it says nothing about the pull requests ahead of them.
  const recommendedHere = { ...recommended, canOptimisticallyMerge: scope === "tree" };
  return withSlots({ ...defaultSettings, mode, policy }, workers, {
    ...(Object.keys(others).length > 0 ? others : recommendedHere),
  });
}

/**
 * Gives the queue a slot for each worker, and additional slots for bisections. A run with a slot but no worker waits in CI. The
 * adaptive policy lets retests take any slot, so it needs only the minimum of one bisection slot.
 */
function withSlots(settings: QueueSettings, workers: number, changes: Partial<QueueSettings>): QueueSettings {
  const bisectionConcurrency = settings.policy === "adaptive" ? 1 : workers;
  return { ...settings, concurrency: workers, bisectionConcurrency, ...changes };
}

/** Parses fields of `updateQueue`. Returns the settings, or a description of the problem. */
export function parseQueueChanges(text: string): Partial<QueueSettings> | { readonly problem: string } {
  const fields = parseObject(text);
  if (!fields) return { problem: "--queue must be a JSON object with fields of updateQueue." };
  return readQueueChanges(fields, "--queue");
}

/** Reads fields of `updateQueue` from an option. Returns the settings, or a description of the problem. */
export function readQueueChanges(
  fields: object,
  option: string,
): Partial<QueueSettings> | { readonly problem: string } {
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const read = Object.hasOwn(defaultSettings, name) ? parseSetting(name, value) : undefined;
    if (read === undefined) return { problem: `${option}: ${problemWith(name, value)}` };
    changes[name] = read;
  }
  return changes;
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns the setting's value; undefined = the value is invalid. */
function parseSetting(name: string, value: unknown): unknown {
  if (name === "requiredStatuses") return isTexts(value) ? value : undefined;
  const known = choices[name];
  if (known) return known.find((choice) => choice === String(value).toLowerCase());
  const byDefault = defaultSettings[name as keyof QueueSettings];
  if (typeof byDefault !== "number") return typeof value === typeof byDefault ? value : undefined;
  const least = name === "pendingFailureDepth" ? 0 : 1;
  const fits = Number.isInteger(value) && Number(value) >= least && Number(value) <= maxSetting;
  return fits ? value : undefined;
}

function problemWith(name: string, value: unknown): string {
  if (!Object.hasOwn(defaultSettings, name)) {
    return `there is no setting "${name}". There are: ${Object.keys(defaultSettings).join(", ")}.`;
  }
  return `"${name}" must be ${wanted(name)}, not ${JSON.stringify(value)}.`;
}

function wanted(name: string): string {
  const kinds: Record<string, string> = { number: "a whole number in its bounds", boolean: "true or false" };
  return (
    choices[name]?.join(" or ") ??
    kinds[typeof defaultSettings[name as keyof QueueSettings]] ??
    "a list of texts"
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

/** Parses `name=value` pairs as settings of a queue. Returns the settings, or a description of the first problem. */
export function parseSettings(
  pairs: readonly string[],
): Partial<QueueSettings> | { readonly problem: string } {
  const fields: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [name = "", ...rest] = pair.split("=");
    const text = rest.join("=");
    if (rest.length === 0 || text === "")
      return { problem: `--set must look like concurrency=8, not "${pair}".` };
    fields[name] = name === "requiredStatuses" ? text.split(",") : settingValue(text);
  }
  return readQueueChanges(fields, "--set");
}

function settingValue(text: string): unknown {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}
