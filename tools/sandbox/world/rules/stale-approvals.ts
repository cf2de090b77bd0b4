import { diff } from "../../git/diff.ts";
import type { Account } from "../account.ts";
import type { PullRequest, ReviewedChange } from "../pulls/pull-request.ts";
import { dismissReview, reviewRulesOf } from "../pulls/reviews.ts";
import type { World } from "../world.ts";

/** Returns the commits that delimit the pull request's current diff. */
export async function changeOf({ repository, base, head }: PullRequest): Promise<ReviewedChange> {
  const tip = repository.branch(base.ref) ?? base.sha;
  const { mergeBase } = await repository.git.graph.divergence(tip, head.sha);
  return { from: mergeBase?.sha ?? tip, to: head.sha };
}

/**
 * Dismisses approvals if a rule requires that and the pull request's diff has changed since them. A push changes the diff. So
 * does the merge of a related pull request into the base: its commits are no longer part of the diff.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches#require-pull-request-reviews-before-merging
 */
export async function dismissStaleApprovals(world: World, pull: PullRequest, sender: Account): Promise<void> {
  if (!reviewRulesOf(pull.repository, pull.base.ref)?.dismissStale) return;
  const approvals = pull.reviews.filter(({ state }) => state === "APPROVED");
  if (approvals.length === 0) return;
  const now = await changeOf(pull);
  // The base contains all of it: the pull request is about to be marked as merged.
  if (now.from === now.to) return;
  for (const review of approvals) {
    if (!(await isSameChange(pull, review.change, now))) await dismissReview(world, pull, sender, review);
  }
}

async function isSameChange(pull: PullRequest, one: ReviewedChange, other: ReviewedChange): Promise<boolean> {
  if (one.from === other.from && one.to === other.to) return true;
  const { directory } = pull.repository.git;
  const [a, b] = await Promise.all([one, other].map((change) => fingerprint(directory, change)));
  return a === b;
}

/** Returns the text of a change without line numbers, because other changes of the files shift them. */
async function fingerprint(directory: string, { from, to }: ReviewedChange): Promise<string> {
  const changes = await diff(directory, from, to, { patches: true });
  return JSON.stringify(
    changes.map(({ path, previousPath, status, patch, blob }) => {
      const text = patch?.replace(/^@@ .*$/gm, "@@").replace(/^ .*\n?/gm, "") ?? blob;
      return [path, previousPath, status, text];
    }),
  );
}
