import { diff } from "../git/diff.ts";
import type { Account } from "./account.ts";
import type { PullRequest, ReviewedChange } from "./pull-request.ts";
import { dismissReview, reviewRulesOf } from "./reviews.ts";
import type { World } from "./world.ts";

/** What the pull request would bring into its base now. */
export async function changeOf({ repository, base, head }: PullRequest): Promise<ReviewedChange> {
  const tip = repository.branch(base.ref) ?? base.sha;
  const { mergeBase } = await repository.git.graph.divergence(tip, head.sha);
  return { from: mergeBase?.sha ?? tip, to: head.sha };
}

/**
 * Dismisses approvals of another change than the pull request brings now, where a rule wants that. A push changes what it brings,
 * and so does the merge of a related pull request into the base: its commits are no longer part of it.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches#require-pull-request-reviews-before-merging
 */
export async function dismissStaleApprovals(world: World, pull: PullRequest, sender: Account): Promise<void> {
  if (!reviewRulesOf(pull.repository, pull.base.ref)?.dismissStale) return;
  const approvals = pull.reviews.filter(({ state }) => state === "APPROVED");
  if (approvals.length === 0) return;
  const now = await changeOf(pull);
  // All that it had is in the base: it is about to be merged.
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

/** The text of a change without its line numbers, which other changes of the files move. */
async function fingerprint(directory: string, { from, to }: ReviewedChange): Promise<string> {
  const changes = await diff(directory, from, to, { patches: true });
  return JSON.stringify(
    changes.map(({ path, previousPath, status, patch, blob }) => {
      const text = patch?.replace(/^@@ .*$/gm, "@@").replace(/^ .*\n?/gm, "") ?? blob;
      return [path, previousPath, status, text];
    }),
  );
}
