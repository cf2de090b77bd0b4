import type { TrainyardClient } from "../../client/client.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { type QueueAnswer, readQueue } from "../commands/read-queue.ts";
import type { BotParts } from "../parts.ts";

/** The settings of a queue that concern labels. */
export type LabelSettings = Pick<
  QueueAnswer,
  "labelCommandsEnabled" | "enqueueingLabel" | "allowedBotSubmitters"
>;

interface Kept {
  readonly until: number;
  readonly settings: Promise<LabelSettings | null>;
}

/**
 * Bots add many labels, and the whole queue must not be read for each. If a setting changes meanwhile, polling finds the
 * labels that were misjudged.
 */
const keptMs = 5_000;
const mostKept = 1_000;
const kept = new WeakMap<TrainyardClient, Map<string, Kept>>();

/** Returns null when the branch has no queue. */
export async function readLabelSettings(
  { client, clock }: Pick<BotParts, "client" | "clock">,
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
