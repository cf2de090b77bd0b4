import { assertNever } from "../assert-never.ts";
import { renderMissingCheck } from "./missing-check-reason.ts";
import { renderObjection } from "./objection.ts";
import type { MergeProof, Obstacle, Reason } from "./reason.ts";
import { adviseOn, type RefusalCause, renderRebaseObstacle } from "./refusal-cause.ts";
import { asClause, counted, listed, namesOf, timeOf } from "./sentence.ts";

/** The proof as words that follow "it is". */
export function renderProof(proof: MergeProof): string {
  switch (proof) {
    case "exact":
      return "exactly the commit that passed";
    case "same_tree":
      return "exactly the tree that passed";
    case "composed":
      return "what passed, together with merges that it does not depend on";
    case "batch":
      return "part of a batch whose tree passed";
    case "successor":
      return "part of the tree behind it that passed";
    case "head":
      return "exactly the tree of its head, which was up to date and had passed";
    default:
      return assertNever(proof);
  }
}

/**
 * The reason as a sentence without a full stop, suitable for a check's title. `foreign` escapes text by others, as the place where it is
 * shown requires. The default is for plain text, which needs no escaping.
 */
export function renderReason(reason: Reason, foreign: (text: string) => string = (text) => text): string {
  const said = (text: string) => foreign(asClause(text));
  const all = (texts: readonly string[]) => texts.map((text) => foreign(text)).join(", ");
  switch (reason.code) {
    case "SUBMITTED_BY_USER":
      return `submitted by @${foreign(reason.by)}`;
    case "SUBMITTED_BY_LABEL":
      return `submitted by @${foreign(reason.by)} with a label`;
    case "SUBMITTED_BY_AUTO_MERGE":
      return `submitted by @${foreign(reason.by)}, who enabled auto-merge`;
    case "SUBMITTED_BY_CHECK":
      return `submitted by @${foreign(reason.by)}, who re-ran the check`;
    case "SUBMITTED_BY_API":
      return `submitted through the API by ${foreign(reason.by)}`;
    case "SUBMITTED_BY_ACTION":
      return `submitted from a workflow by ${foreign(reason.by)}`;
    case "READY":
      return "ready to be tested";
    case "PLACE_LOST":
      return `ready to be tested again, but only after more than ${counted(reason.minutes, "minute")}, so it goes behind everything submitted until now`;
    case "REBASED":
      return `rebased by a bot (${reason.sha.slice(0, 7)}) without another change, so it keeps its place and is tested again`;
    case "READINESS_TIMEOUT":
      return `not ready to be tested within ${counted(reason.hours, "hour")}`;
    case "TESTS_STARTED":
      return "tests started";
    case "MERGE_CONFLICT_WITH_BASE":
      return "conflicts with the target branch";
    case "EMPTY_PULL_REQUEST":
      return "adds nothing to the target branch: everything in it is already there";
    case "REBASE_NOT_POSSIBLE":
      return renderRebaseObstacle(reason.why);
    case "NO_REQUIRED_CHECKS":
      return "no required checks are configured, so nothing could prove that the tests passed";
    case "CONFIGURATION_INVALID":
      return `the queue's configuration is invalid: ${said(reason.message)}`;
    case "PERMISSION_DENIED":
      return `GitHub denied permission: ${said(reason.message)}`;
    case "RETRIES_EXHAUSTED":
      return `gave up after repeated errors: ${said(reason.message)}`;
    case "TESTS_PASSED":
      return "all required checks passed";
    case "FLAKY_TESTS_RETRIED":
      return `failed checks run again, because only tests failed that are known to be flaky: ${foreign(namesOf(reason.tests))}`;
    case "NEW_TESTS_RETRIED":
      return `failed checks run again once, because only new tests failed: ${foreign(namesOf(reason.tests))}`;
    case "RETRY_REFUSED":
      return `the failed checks were not run again: ${said(reason.message)}`;
    case "SUCCESSOR_PASSED":
      return `#${reason.pr} behind it, whose tests contain it, passed`;
    case "IMPLIED_BY_BISECTION":
      return "passed as part of a set that was tested";
    case "CHECKS_FAILED":
      return `required ${plural("check", reason.checks.length)} failed: ${all(reason.checks.map(({ name }) => name))}`;
    case "TESTS_CANCELLED":
      return `your workflow cancels itself: ${all(reason.checks.map(({ name }) => name))} ended as cancelled ${counted(reason.times, "time")} in a row, and the queue did not cancel it; its concurrency group has to contain the branch, as in ci-$\{{ github.ref }}`;
    case "TESTING_TIMEOUT":
      return `tests did not finish within ${counted(reason.minutes, "minute")}${labelled("never reported", reason.missing, all)}${labelled("still running", reason.pending, all)}`;
    case "REQUIRED_CHECK_MISSING":
      return renderMissingCheck(reason, (name) => foreign(name));
    case "RESTARTED":
      return `tests restarted by ${foreign(reason.by)}`;
    case "BASE_MOVED":
      return "the target branch was changed outside the queue";
    case "AHEAD_FAILED":
      return reason.batch
        ? `the batch of ${listed(reason.batch)} ahead failed, and its culprit is not known yet`
        : `#${reason.pr} ahead failed`;
    case "AHEAD_CANCELLED":
      return `#${reason.pr} ahead was cancelled`;
    case "AHEAD_RESTARTED":
      return `#${reason.pr} ahead was restarted`;
    case "AHEAD_MERGED_BY_HAND":
      return `#${reason.pr} ahead was merged by hand`;
    case "TARGETS_CHANGED":
      return "its impacted targets changed";
    case "REQUIRED_CHECKS_CHANGED":
      return renderChange(reason, all);
    case "AHEAD_HELD":
      return `#${reason.pr} ahead could not be built`;
    case "CONFLICT_WITH_AHEAD":
      if (reason.prs.length === 0) return "conflicts with the target branch";
      return `conflicts with ${listed(reason.prs)} ahead, and waits for ${reason.prs.length === 1 ? "it" : "them"}`;
    case "INTERRUPTED_BY_URGENT":
      return `interrupted by urgent #${reason.pr}`;
    case "FAILED_ONCE":
      return `${renderReason(reason.failure, foreign)}; it is tested once more, because one failure may be a flake`;
    case "RETESTED":
      return "tested again, to find out whether it is at fault";
    case "PASSED_ALONE":
      return "passed by itself, and is tested again on top of what merges before it";
    case "OVERTAKEN":
      return `#${reason.pr} has merged since the test began, and was not part of it`;
    case "SLOT_NEEDED":
      return "its slot was needed for pull requests that have not been tested yet";
    case "VERDICT_KNOWN":
      return "its result is no longer needed";
    case "BISECTION_REQUIRED":
      return "its batch failed and is being bisected";
    case "NOTHING_PASSES":
      return `nothing has passed since ${listed(reason.prs)} failed${reason.base ? `, and the target branch fails by itself at ${reason.base.slice(0, 7)}` : ""}`;
    case "INFRASTRUCTURE_ERROR":
      return `will be tried again after an error (attempt ${reason.attempt}): ${said(reason.message)}`;
    case "MERGED_IN_ORDER":
      return `merged as ${reason.sha.slice(0, 7)}`;
    case "DIRECT_MERGED":
      return `merged directly as ${reason.sha.slice(0, 7)}`;
    case "MERGED_BY_OTHERS":
      return reason.together === undefined
        ? "merged outside the queue"
        : `merged together with #${reason.together}, which has the same commit`;
    case "MERGE_REFUSED":
      return `GitHub refused the merge: ${said(reason.message)}${advised(reason.cause)}`;
    case "MERGING_NOT_ALLOWED":
      return `the queue may not merge here: ${said(reason.message)}${advised(reason.cause ?? "OTHER", true)}${resubmitted(reason.left)}`;
    case "BUILDING_NOT_ALLOWED":
      return `GitHub refuses the branches that the queue makes: ${said(reason.message)}${advised(reason.cause, true)}${resubmitted(reason.left)}`;
    case "HEAD_CHANGED":
      return "new commits were pushed while it was being merged";
    case "TREE_MISMATCH":
      return `#${reason.pr} was merged as ${reason.sha.slice(0, 7)} with tree ${reason.actualTree.slice(0, 7)}, but ${reason.expectedTree.slice(0, 7)} was tested${reason.pushed ? `: ${reason.pushed.slice(0, 7)} was pushed to the branch right before the merge` : ""}`;
    case "CANCELLED_BY_USER":
      return `cancelled by ${foreign(`@${reason.by}`)}`;
    case "CANCELLED_BY_API":
      return `cancelled through the API by ${foreign(reason.by)}`;
    case "LABEL_REMOVED":
      return `cancelled: ${foreign(`@${reason.by}`)} removed the label`;
    case "AUTO_MERGE_DISABLED":
      return `cancelled: ${foreign(`@${reason.by}`)} disabled auto-merge`;
    case "PR_CLOSED":
      return reason.branch === undefined
        ? "closed"
        : `closed, and its branch ${foreign(reason.branch)} was deleted`;
    case "PUSHED_TO":
      return `new commits were pushed (${reason.sha.slice(0, 7)})`;
    case "BASE_BRANCH_CHANGED":
      return `its base branch was changed to ${foreign(reason.branch)}`;
    case "CONVERTED_TO_DRAFT":
      return "converted to a draft";
    case "CHANGES_REQUESTED":
    case "REVIEW_REQUIRED":
    case "CONVERSATIONS_OPEN":
    case "STATE_UNKNOWN":
    case "DEPENDS_ON":
    case "PART_OF_STACK":
    case "HEAD_CHECKS_FAILED":
      return renderObjection(reason, foreign);
    case "APP_SUSPENDED":
    case "APP_UNINSTALLED":
    case "APP_PERMISSIONS_NOT_GRANTED":
    case "REPOSITORY_UNREACHABLE":
    case "REPOSITORY_ARCHIVED":
    case "BRANCH_MISSING":
    case "OLDER_INSTANCE":
      return renderObstacle(reason, foreign);
    case "OBSTACLE_GONE":
      return `what stopped it has been resolved (${reason.was})`;
    case "CONFIGURED":
      return `set by ${foreign(reason.by)}${reason.note === undefined ? "" : `: ${said(reason.note)}`}`;
    default:
      return assertNever(reason);
  }
}

function renderChange(
  { added, removed, at }: Extract<Reason, { code: "REQUIRED_CHECKS_CHANGED" }>,
  all: (texts: readonly string[]) => string,
): string {
  const changes = [
    ...(added.length > 0 ? [`${all(added)} must pass`] : []),
    ...(removed.length > 0 ? [`${all(removed)} need not pass any more`] : []),
  ];
  return `since ${timeOf(at)}, ${changes.join(", and ")}`;
}

function advised(cause: RefusalCause | undefined, toAll = false): string {
  return cause === undefined ? "" : `; ${adviseOn(cause, toAll)}`;
}

function resubmitted(pr: number | undefined): string {
  const again = pr === undefined ? "" : ` and submit #${pr} again, which had to leave`;
  return `; then set the queue to running${again}`;
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

function labelled(
  label: string,
  names: readonly string[],
  render: (names: readonly string[]) => string,
): string {
  return names.length === 0 ? "" : `; ${label}: ${render(names)}`;
}

/** The cause, and how to remove it. `foreign` as for `renderReason`. */
export function renderObstacle(obstacle: Obstacle, foreign: (text: string) => string): string {
  const goesOn = "the queue then continues by itself";
  switch (obstacle.code) {
    case "APP_SUSPENDED":
      return `the GitHub App is suspended on ${foreign(obstacle.owner)}; unsuspend it at ${obstacle.url}, and ${goesOn}`;
    case "APP_UNINSTALLED":
      return `the GitHub App is not installed on ${foreign(obstacle.owner)}; install it again, and ${goesOn}`;
    case "APP_PERMISSIONS_NOT_GRANTED":
      return `the GitHub App on ${foreign(obstacle.owner)} lacks ${obstacle.permissions.join(", ")}; accept its new permissions at ${obstacle.url}, and ${goesOn}`;
    case "REPOSITORY_UNREACHABLE":
      return `the GitHub App cannot see ${foreign(obstacle.repository)}: it was deleted, or transferred, or the App's access was removed; install the App where the repository is now and give it access, or delete this queue`;
    case "REPOSITORY_ARCHIVED":
      return `${foreign(obstacle.repository)} is archived, so that it cannot be changed; unarchive it in its settings, and ${goesOn}`;
    case "BRANCH_MISSING":
      return `the branch ${foreign(obstacle.branch)} does not exist; create it again, and ${goesOn}, or delete this queue`;
    case "OLDER_INSTANCE":
      return `an older service with the same App and another database works on this repository, as its comment on #${obstacle.pr} shows; stop one of the two services, or delete this queue; after an hour without such comments, ${goesOn}`;
  }
}
