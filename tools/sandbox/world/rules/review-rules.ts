import { matchesGlob } from "node:path";
import { diff } from "../../git/diff.ts";
import { entryAt } from "../../git/tree-files.ts";
import type { Account } from "../account.ts";
import {
  dismissReview,
  type PullRequest,
  type Review,
  type ReviewedChange,
  reviewRulesOf,
} from "../pulls/pull-request.ts";
import type { Repository } from "../repository.ts";
import type { World } from "../world.ts";

/** The requirements of a rule for reviews, in branch protection or in a ruleset. */
export interface ReviewRules {
  approvals: number;
  /** Whether a change of the pull request's diff dismisses earlier approvals. */
  dismissStale: boolean;
  /** Whether each changed file with code owners needs an approval of one of them. */
  codeOwners: boolean;
  /** Whether an account other than the last pusher must approve the last push. */
  lastPushApproval: boolean;
  /** Whether every conversation must be resolved. */
  conversations: boolean;
}

/** Combines several rules into the strictest one; null without any rule. */
export function strictestOf(rules: readonly ReviewRules[]): ReviewRules | null {
  if (rules.length === 0) return null;
  return {
    approvals: Math.max(...rules.map(({ approvals }) => approvals)),
    dismissStale: rules.some(({ dismissStale }) => dismissStale),
    codeOwners: rules.some(({ codeOwners }) => codeOwners),
    lastPushApproval: rules.some(({ lastPushApproval }) => lastPushApproval),
    conversations: rules.some(({ conversations }) => conversations),
  };
}

/**
 * The decision of the reviewers. Null = no rule requires a review, regardless of existing reviews.
 * https://docs.github.com/en/graphql/reference/enums#pullrequestreviewdecision
 */
export type ReviewDecision = "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED" | null;

export async function decideReview(pull: PullRequest, rules: ReviewRules | null): Promise<ReviewDecision> {
  if (rules === null || !requiresReview(rules)) return null;
  if (areChangesRequested(pull)) return "CHANGES_REQUESTED";
  return (await missingApprovals(pull, rules)).length > 0 ? "REVIEW_REQUIRED" : "APPROVED";
}

/** Returns GitHub's reasons why reviews and conversations block a pull request. */
export async function unmetReviewRules(pull: PullRequest, rules: ReviewRules): Promise<string[]> {
  const refusals: string[] = [];
  if (requiresReview(rules)) {
    if (areChangesRequested(pull)) refusals.push("Changes have been requested.");
    else refusals.push(...(await missingApprovals(pull, rules)));
  }
  if (rules.conversations && pull.threads.some(({ isResolved }) => !isResolved))
    refusals.push("A conversation must be resolved before this pull request can be merged.");
  return refusals;
}

/** Returns the last opinion of each reviewer. Comments and dismissed reviews are not opinions. */
export function latestOpinions(pull: PullRequest): Review[] {
  const opinions = pull.reviews.filter(({ state }) => state !== "COMMENTED");
  const latest = new Map(opinions.map((review) => [review.author.id, review]));
  return [...latest.values()].filter(({ state }) => state !== "DISMISSED");
}

/** Returns the opinions that count: those of reviewers with write access. */
export function countedOpinions(pull: PullRequest): Review[] {
  return latestOpinions(pull).filter(({ author }) => pull.repository.isWriter(author));
}

const requiresReview = ({ approvals, codeOwners, lastPushApproval }: ReviewRules): boolean =>
  approvals > 0 || codeOwners || lastPushApproval;

const areChangesRequested = (pull: PullRequest): boolean =>
  countedOpinions(pull).some(({ state }) => state === "CHANGES_REQUESTED");

async function missingApprovals(pull: PullRequest, rules: ReviewRules): Promise<string[]> {
  const approvals = countedOpinions(pull).filter(({ state }) => state === "APPROVED");
  const missing: string[] = [];
  if (approvals.length < rules.approvals) {
    const noun = rules.approvals === 1 ? "approving review is" : "approving reviews are";
    missing.push(`At least ${rules.approvals} ${noun} required by reviewers with write access.`);
  }
  if (rules.codeOwners) {
    const approvers = new Set(approvals.map(({ author }) => author.login.toLowerCase()));
    const { teams } = pull.repository.owner;
    const hasApproved = (owner: string) =>
      approvers.has(owner) || !approvers.isDisjointFrom(teams?.get(owner.split("/")[1] ?? "") ?? new Set());
    const waiting = (await ownersOfChanges(pull)).find((owners) => !owners.some(hasApproved));
    // Authors cannot approve their own changes.
    const asked = waiting?.filter((owner) => owner !== pull.author.login.toLowerCase());
    if (asked) missing.push(`Waiting on code owner review from ${asked.join(", ")}.`);
  }
  const pusher = pull.pushedBy;
  const isLastApproved = approvals.some(
    ({ author, commit }) => author !== pusher && commit === pull.head.sha,
  );
  if (rules.lastPushApproval && !isLastApproved)
    missing.push(
      `New changes require approval from someone other than ${pusher.login} because they were the last pusher.`,
    );
  return missing;
}

interface OwnerRule {
  pattern: string;
  /** Logins and `org/team`, without the `@`, in lower case. */
  owners: string[];
}

/** The first of these files that exists on the base branch is used. */
const places = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/**
 * Returns the owners of each changed file that has any. An approval by one of them, or by a member of one of their teams,
 * approves the file. E-mail addresses are not simulated.
 * https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
 */
async function ownersOfChanges(pull: PullRequest): Promise<string[][]> {
  const { git } = pull.repository;
  const base = pull.repository.branch(pull.base.ref);
  if (base === null) return [];
  const rules = await readRules(pull.repository, base);
  if (rules.length === 0) return [];
  const { mergeBase } = await git.graph.divergence(base, pull.head.sha);
  const changes = await diff(git.directory, mergeBase?.sha ?? base, pull.head.sha, { patches: false });
  const paths = changes.flatMap(({ path, previousPath }) => [path, ...(previousPath ? [previousPath] : [])]);
  return paths.map((path) => ownersOf(rules, path)).filter((owners) => owners.length > 0);
}

async function readRules({ git }: Repository, commit: string): Promise<OwnerRule[]> {
  const tree = (await git.commit(commit))?.tree;
  for (const place of tree === undefined ? [] : places) {
    const entry = await entryAt(git, tree as string, place);
    const blob = entry && (await git.readObject(entry.sha));
    if (blob?.type === "blob") return parseRules(blob.content.toString("utf8"));
  }
  return [];
}

function parseRules(text: string): OwnerRule[] {
  return text.split("\n").flatMap((line) => {
    const [pattern, ...owners] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (!pattern) return [];
    return [{ pattern, owners: owners.map((owner) => owner.replace(/^@/, "").toLowerCase()) }];
  });
}

/** The last matching rule decides, even if it has no owners. */
function ownersOf(rules: readonly OwnerRule[], path: string): string[] {
  return rules.findLast(({ pattern }) => matches(pattern, path))?.owners ?? [];
}

/**
 * As in `.gitignore`: a pattern with a slash before its end matches the whole path. Any other pattern matches any name in the
 * path.
 */
function matches(pattern: string, path: string): boolean {
  const bare = pattern.replace(/^\//, "").replace(/\/$/, "");
  const anywhere = pattern.replace(/\/$/, "").includes("/") ? bare : `**/${bare}`;
  return (!pattern.endsWith("/") && matchesGlob(path, anywhere)) || matchesGlob(path, `${anywhere}/**`);
}

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
