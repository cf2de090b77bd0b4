import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { isCodeHostFailure } from "./retry.ts";

export interface MergingProbe {
  /** Any commit. */
  readonly sha: string;
  /** Nothing else may use this scratch branch at the same time. */
  readonly scratch: string;
}

/**
 * Whether the code host lets the App merge at all: merges a commit into itself on a scratch branch, which makes no commit that
 * anybody sees. If even this is refused, then an incident refuses everything, and no pull request is at fault (ADR 118).
 */
export async function probeMerging(
  codeHost: Pick<CodeHost, "buildTestCommit">,
  repo: InstalledRepository,
  { sha, scratch }: MergingProbe,
): Promise<boolean> {
  const step = { pr: 0, headSha: sha, headRef: scratch, title: "", treeSha: null };
  try {
    const { kind } = await codeHost.buildTestCommit(repo, {
      ...{ branch: `${scratch}+probe`, targetBranch: scratch, mayExist: false },
      ...{ method: "merge_commit", parentSha: sha, steps: [step] },
    });
    return kind === "empty";
  } catch (error) {
    if (isCodeHostFailure(error)) return false;
    throw error;
  }
}
