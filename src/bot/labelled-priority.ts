import type { RepositoryFile } from "../command/repository-file.ts";
import { type Priority, parsePriority } from "../engine/model/priority.ts";

/** The priority that labels ask for; of several the most urgent, null when none does. */
export function labelledPriority(
  labels: readonly string[],
  { labels: named }: RepositoryFile,
): Priority | null {
  const asked = labels.flatMap((label) => {
    const written = Object.hasOwn(named.priorities, label) ? named.priorities[label] : undefined;
    return (written === undefined ? null : parsePriority(written)) ?? [];
  });
  return asked.toSorted((a, b) => a.value - b.value)[0] ?? null;
}
