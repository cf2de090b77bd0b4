import type { EventData } from "./event.ts";
import { parseTargets } from "./targets.ts";

/** An event's data as parsed from JSON. */
export type StoredEventData = EventData extends infer Data
  ? Data extends { readonly targets: infer T }
    ? Omit<Data, "targets"> & { readonly targets: Extract<T, null> | string | readonly number[] }
    : Data
  : never;

/** Restores event data from the parsed output of `JSON.stringify`. */
export function parseEventData(json: StoredEventData): EventData {
  if (json.type === "entry_targeted") return { ...json, targets: parseTargets(json.targets) };
  if (json.type !== "entry_admitted") return json;
  return { ...json, targets: json.targets === null ? null : parseTargets(json.targets) };
}
