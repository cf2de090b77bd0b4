import { type RepositoryFile, writtenPriority } from "../../command/repository-file.ts";
import { type Priority, parsePriority } from "../../engine/model/entry.ts";

/** Returns the priority that labels request: the most urgent one, or null when there is none. */
export function labelledPriority(
  labels: readonly string[],
  { labels: named }: RepositoryFile,
): Priority | null {
  const asked = labels.flatMap((label) => {
    const written = writtenPriority(named, label);
    return (written === undefined ? null : parsePriority(written)) ?? [];
  });
  return asked.toSorted((a, b) => a.value - b.value)[0] ?? null;
}
