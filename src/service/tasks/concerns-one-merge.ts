import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { probeOf } from "../observation/own-branches.ts";
import { isCodeHostFailure, isDeniedForLong, type TaskHistory } from "../workers/retry.ts";

/** A merge that shows whether the App can merge anything. */
export interface OtherMerge {
  readonly codeHost: Pick<CodeHost, "buildTestCommit">;
  readonly repo: InstalledRepository;
  /** Any commit. It is merged into itself, which creates no visible commit. */
  readonly sha: string;
  /** Nothing else may use this scratch branch at the same time. */
  readonly scratch: string;
  /** The prefix of scratch branches. */
  readonly prefix: string;
}

/**
 * Whether the next refusal without a stated cause would concern only the requested merge: the code host has refused it for long, and lets
 * the App merge something else. Otherwise an incident refuses everything, and no pull request is at fault (ADR 56). Asked before the next
 * try and not after it, because the incident may end in between.
 */
export async function wouldConcernOneMerge(history: TaskHistory, other: OtherMerge): Promise<boolean> {
  return isDeniedForLong(history) && (await canMerge(other));
}

async function canMerge({ codeHost, repo, sha, scratch, prefix }: OtherMerge): Promise<boolean> {
  const step = { pr: 0, headSha: sha, headRef: scratch, title: "", treeSha: null };
  try {
    const { kind } = await codeHost.buildTestCommit(repo, {
      ...{ branch: probeOf(prefix + scratch), scratch, mayExist: false },
      ...{ method: "merge_commit", parentSha: sha, steps: [step] },
    });
    return kind === "empty";
  } catch (error) {
    if (isCodeHostFailure(error)) return false;
    throw error;
  }
}
