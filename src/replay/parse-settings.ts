import type { QueueSettings } from "../engine/model/settings.ts";
import { readQueueChanges } from "./engine-run/queue-settings.ts";

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
