import type { CodeHost, CodeHostFailure, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { probeOf } from "../observation/own-branches.ts";
import { isCodeHostFailure } from "../workers/retry.ts";

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
 * Whether a refusal without a stated cause concerns only the requested merge. That is so if the code host lets the App merge something
 * else. Otherwise an incident refuses everything, and no pull request is at fault (ADR 56).
 */
export async function concernsOneMerge(error: CodeHostFailure, other: OtherMerge): Promise<boolean> {
  return !error.isOfReading && (await canMerge(other));
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
