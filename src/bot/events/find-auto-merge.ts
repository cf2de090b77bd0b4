import type { TrainyardClient } from "../../client/client.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { ListedPullRequest } from "../../ports/code-host/pull-requests.ts";
import { findEntry } from "../commands/find-entry.ts";
import { takesAutoMerge } from "../commands/takes-auto-merge.ts";

/** A change of auto-merge whose webhook was lost. */
export interface FoundAutoMerge {
  readonly action: "auto_merge_enabled" | "auto_merge_disabled";
  readonly by: { readonly login: string; readonly id: number; readonly isBot: boolean };
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** GitHub's name for an unknown user. No listing names the user who disabled auto-merge. */
export const nobody = { login: "ghost", id: 0, isBot: false };

/** Finds a difference between auto-merge on GitHub and the queue; null when they agree. */
export async function findAutoMerge(
  { client, codeHost }: { client: TrainyardClient; codeHost: Pick<CodeHost, "autoMergeEnabledAt"> },
  { installationId, ...address }: InstalledRepository,
  branch: string,
  pull: ListedPullRequest,
): Promise<FoundAutoMerge | null> {
  const entry = await findEntry(client, address, branch, pull.number);
  const queued = entry?.isCurrentlySubmittedToQueue ?? false;
  if (pull.autoMergeBy === null) {
    const isDisabled = queued && entry?.submittedVia === "auto_merge";
    return isDisabled ? { action: "auto_merge_disabled", by: nobody, at: pull.updatedAt } : null;
  }
  if (queued || !(await takesAutoMerge(client, address, branch))) return null;
  const at = await codeHost.autoMergeEnabledAt({ installationId, ...address }, pull.number);
  return at === null ? null : { action: "auto_merge_enabled", by: pull.autoMergeBy, at };
}
