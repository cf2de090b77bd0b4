import { type Priority, parsePriority } from "../../../src/engine/model/entry.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { RandomSource } from "../../../src/replay/workload/random-source.ts";
import { drawSettings } from "./draw-settings.ts";
import type { PlannedPullRequest } from "./service-plan.ts";

const minuteMs = 60_000;

/** What people do with a queue, besides submitting and withdrawing. `at` is in milliseconds since the start of the life. */
export type PlannedCommand = { readonly at: number } & (
  | { readonly kind: "restart"; readonly pr: number }
  /** Asks for the status in a comment. */
  | { readonly kind: "status"; readonly pr: number }
  /** It is tested without being merged. */
  | { readonly kind: "try"; readonly pr: number }
  /** It is submitted once more, with another priority. */
  | { readonly kind: "prioritise"; readonly pr: number; readonly priority: Priority }
  | { readonly kind: "pause"; readonly ms: number }
  | { readonly kind: "reconfigure"; readonly settings: Partial<QueueSettings> }
);

export function drawTries(
  random: RandomSource,
  pullRequests: readonly PlannedPullRequest[],
): readonly PlannedCommand[] {
  const count = random() < 0.5 ? 0 : 1 + Math.floor(random() * 3);
  return Array.from({ length: count }, (): PlannedCommand => {
    const pr = 1 + Math.floor(random() * pullRequests.length);
    return { at: Math.round(random() * 9 * minuteMs), kind: "try", pr };
  });
}

export function drawCommands(
  random: RandomSource,
  pullRequests: readonly PlannedPullRequest[],
): readonly PlannedCommand[] {
  const one = (prs: readonly PlannedPullRequest[]) => prs[Math.floor(random() * prs.length)];
  const good = pullRequests.filter(({ ends }) => ends === "merged");
  return Array.from({ length: 1 + Math.floor(random() * 6) }, (): PlannedCommand => {
    const at = Math.round(random() * 9 * minuteMs);
    const kind = random();
    const [any, kept, priority] = [one(pullRequests), one(good), parsePriority(Math.floor(random() * 200))];
    if (kind < 0.35 && any) return { at, kind: "restart", pr: any.number };
    if (kind < 0.6 && kept && priority)
      return { at: Math.max(at, kept.submittedAt + 1), kind: "prioritise", pr: kept.number, priority };
    if (kind < 0.75) return { at, kind: "pause", ms: Math.round(random() * 2 * minuteMs) };
    return { at, kind: "reconfigure", settings: drawSettings(random) };
  });
}
