import { engineLimits } from "../engine/model/settings.ts";
import type { QueueChangesBody } from "./schema/queue-settings.ts";

type Changes = Readonly<Partial<QueueChangesBody>>;

/** Returns a sentence for each requested change that will not have its full effect. */
export function settingWarnings(changes: Changes): string[] {
  return [...clampingWarnings(changes), ...requiredStatusesWarnings(changes)];
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

function requiredStatusesWarnings({ requiredStatuses, deleteRequiredStatuses }: Changes): string[] {
  if (requiredStatuses?.length !== 0 || deleteRequiredStatuses) return [];
  return [
    "An empty requiredStatuses removes the list: the required checks come from the repository file or the branch's protection, as with deleteRequiredStatuses. A queue that requires no checks is not possible.",
  ];
}
