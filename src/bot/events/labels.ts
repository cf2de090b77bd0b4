import type { TrainyardClient } from "../../client/client.ts";
import { type RepositoryFile, writtenPriority } from "../../command/repository-file.ts";
import { type Priority, parsePriority } from "../../engine/model/entry.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Bot } from "../bot.ts";
import { type QueueAnswer, readQueue } from "../commands/queues.ts";

export type LabelSettings = Pick<
  QueueAnswer,
  "labelCommandsEnabled" | "enqueueingLabel" | "allowedBotSubmitters"
>;

interface Kept {
  readonly until: number;
  readonly settings: Promise<LabelSettings | null>;
}

/**
 * Bots add many labels, for each of which the whole queue must not be read. If a setting changes meanwhile, polling finds the labels that
 * were misjudged.
 */
const keptMs = 5_000;
const mostKept = 1_000;
const kept = new WeakMap<TrainyardClient, Map<string, Kept>>();

/** Returns null when the branch has no queue. */
export async function readLabelSettings(
  { client, clock }: Bot,
  repo: RepositoryRef,
  branch: string,
): Promise<LabelSettings | null> {
  const known = kept.get(client) ?? new Map<string, Kept>();
  kept.set(client, known);
  const key = nameKey(`${repo.owner}/${repo.name}`).concat(`:${branch}`);
  const now = clock.now();
  const before = known.get(key);
  if (before && now < before.until) return before.settings;
  const settings = readQueue(client, repo, branch).then((queue) => queue && withoutEntries(queue));
  if (known.size >= mostKept) known.clear();
  known.set(key, { until: now + keptMs, settings });
  settings.catch(() => known.delete(key));
  return settings;
}

function withoutEntries({
  labelCommandsEnabled,
  enqueueingLabel,
  allowedBotSubmitters,
}: QueueAnswer): LabelSettings {
  return { labelCommandsEnabled, enqueueingLabel, allowedBotSubmitters };
}

/**
 * Returns the label that submits on a branch; null when there is none. For a branch without a queue, the label that a queue there would
 * use.
 */
export function submitLabelOf(
  queue: Pick<QueueAnswer, "enqueueingLabel"> | null,
  file: RepositoryFile,
  byDefault: string,
): string | null {
  if (queue) return queue.enqueueingLabel === "" ? null : queue.enqueueingLabel;
  const { submit = byDefault } = file.labels;
  return submit;
}

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
