import { mergeTrees } from "../../git/merge-trees.ts";
import { signatureOf, webFlow } from "../account.ts";
import { latestRuns } from "../checks/check.ts";
import { isBlocked, isHeldBehind, type Writer } from "../rules/branch-rules.ts";
import type { World } from "../world.ts";
import { isRebaseable } from "./merge-pull.ts";
import { isOpen, mergeRef, type PullRequest } from "./pull-request.ts";

const scheduled = new WeakSet<PullRequest>();

/** Resets the mergeability. GitHub shows `mergeable: null` until the next computation. */
export function forgetMergeability(pull: PullRequest): void {
  pull.mergeability = { state: "unknown" };
  if (pull.merged === null) pull.mergeCommitSha = null;
}

/** Computes the mergeability after a delay, as GitHub does after a change of the head or a request. */
export function scheduleMergeability(world: World, pull: PullRequest): void {
  if (pull.repository.isPast) return;
  if (scheduled.has(pull)) return;
  scheduled.add(pull);
  world.background.after(world.delays.mergeability, async () => {
    scheduled.delete(pull);
    await computeMergeability(world, pull);
  });
}

async function computeMergeability(world: World, pull: PullRequest): Promise<void> {
  const { git } = pull.repository;
  const base = pull.repository.branch(pull.base.ref);
  const head = pull.head.sha;
  if (!isOpen(pull) || base === null) return;
  const tree = await mergeTrees(git, base, head);
  const rebaseable = tree !== null && (await isRebaseable(git, base, head));
  // The head or the base may have changed during the computation.
  const asked = isOpen(pull) && pull.head.sha === head && pull.repository.branch(pull.base.ref) === base;
  if (!asked) return pull.mergeability.state === "unknown" ? scheduleMergeability(world, pull) : undefined;
  if (tree === null) {
    pull.mergeability = { state: "conflict" };
    return;
  }
  const now = world.now();
  const commit = git.writeCommit({
    tree,
    parents: [base, head],
    author: signatureOf(pull.author, now),
    committer: webFlow(now),
    message: `Merge ${head} into ${base}`,
  });
  // There must be no await between the check above and this assignment: the pull request could be merged in between.
  pull.mergeability = { state: "clean", commit, tree, rebaseable };
  pull.mergeCommitSha = commit;
  git.refs.swap(mergeRef(pull), git.refs.get(mergeRef(pull)), commit);
}

/**
 * Returns GitHub's `mergeable_state`. The precedence follows the documentation of GraphQL's MergeStateStatus and observations of
 * bots: a conflict comes before a draft, and unmet rules come before being behind. Checks that are not required come last.
 * `blocked` depends on the viewer.
 *
 * @param viewer null = a viewer that bypasses no ruleset
 */
export async function mergeableState(
  pull: PullRequest,
  viewer: Writer | null,
): Promise<"unknown" | "dirty" | "draft" | "blocked" | "behind" | "unstable" | "clean"> {
  const { repository } = pull;
  if (!isOpen(pull) || pull.mergeability.state === "unknown") return "unknown";
  if (pull.mergeability.state === "conflict") return "dirty";
  if (pull.draft) return "draft";
  if (await isBlocked(pull, pull.mergeability.commit, viewer)) return "blocked";
  if (await isHeldBehind(pull)) return "behind";
  const runs = repository.suitesOf(pull.head.sha).flatMap(latestRuns);
  const latestStatuses = new Map(repository.statusesOf(pull.head.sha).map((one) => [one.context, one.state]));
  const allPassed =
    runs.every((run) => ["success", "neutral", "skipped"].includes(run.conclusion ?? "")) &&
    [...latestStatuses.values()].every((state) => state === "success");
  return allPassed ? "clean" : "unstable";
}
