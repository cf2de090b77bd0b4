import { withdrawalOf } from "../../engine/lifecycle/submission/readiness.ts";
import type { PullRequestFacts } from "../../engine/model/entry.ts";
import type { MergeStep } from "../../engine/model/merge-attempt.ts";
import { isReviewUnknown } from "../../engine/reasons/objection.ts";
import { CodeHostError } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { mergeabilityOf } from "../pull-requests/pull-request.ts";
import { readPullRequests } from "../pull-requests/pull-request-group.ts";

export interface Recheck {
  /** The number of first steps that may merge. Of steps that were tested together, either all count or none. */
  readonly holding: number;
  /** The pull request that prevents further merges; null when there is none, or only its reviews are unknown. */
  readonly withdrawn: PullRequestFacts | null;
  /** Whether GitHub calls the first head behind a base that requires up-to-date heads. The App may be able to merge it nevertheless. */
  readonly isBehind: boolean;
}

/**
 * Reads the pull requests of all steps at once, right before they are merged.
 *
 * @throws CodeHostError of the kind `review_unknown` if the first may not merge because GitHub does not tell what reviewers decided
 */
export async function recheckPullRequests(
  api: RepositoryApi,
  branch: string,
  steps: readonly MergeStep[],
  mergesStacked = false,
): Promise<Recheck> {
  const numbers = steps.map(({ pr }) => pr);
  const pulls = await readPullRequests(api, numbers);
  const isBehind = pulls.get(numbers[0] ?? 0)?.isBehind ?? false;
  for (const [index, { pr, headSha }] of steps.entries()) {
    const pull = pulls.get(pr);
    if (!pull) throw new CodeHostError("not_found", `there is no pull request #${pr} any more`);
    const { mergesCleanly, isBlocked: _isBlocked, isBehind: _isBehind, ...facts } = pull;
    const mergeability = mergeabilityOf(pull.state === "open", mergesCleanly);
    const pullRequest = { ...facts, mergeability, blockers: [] };
    const holding = firstOfItsRun(steps, index);
    if (withdrawalOf({ headSha, baseBranch: branch, mergesStacked }, pullRequest) !== null)
      return { holding, withdrawn: pullRequest, isBehind };
    if (!facts.objections.some(isReviewUnknown)) continue;
    if (holding === 0) throw new CodeHostError("review_unknown", `what it says of #${pr} is incomplete`);
    return { holding, withdrawn: null, isBehind };
  }
  return { holding: steps.length, withdrawn: null, isBehind };
}

function firstOfItsRun(steps: readonly MergeStep[], index: number): number {
  return steps.findIndex(({ runId }) => runId === steps[index]?.runId);
}
