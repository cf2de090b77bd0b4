import { matchesGlob } from "node:path";
import { shuffle } from "../../seeded-draw.ts";
import { latestRuns } from "../checks/check.ts";
import type { Repository } from "../repository.ts";
import type { ReviewRules } from "./review-rules.ts";

export interface RequiredCheck {
  context: string;
  /** Only a report of this App counts. Null = a report of any source counts. */
  appId: number | null;
}

/**
 * A classic branch protection rule.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
 */
export interface Protection {
  /** A branch name, or an fnmatch pattern. */
  pattern: string;
  requiredChecks: RequiredCheck[];
  /** Whether a pull request's head must contain the base tip before it may merge. */
  strict: boolean;
  /** Whether the rule also binds administrators. */
  enforceAdmins: boolean;
  /** Number of approvals that a pull request needs; null = changes need no pull request. */
  requiredReviews: number | null;
  /** The requirements for reviews and conversations. */
  reviews: ReviewRules;
  allowForcePushes: boolean;
  allowDeletions: boolean;
  linearHistory: boolean;
  /** Only refuses rebases. Merges and pushes of unsigned commits are refused by rulesets alone. */
  signatures: boolean;
  /** Whether nobody whom the rule binds may change the branch. */
  locked: boolean;
  /** Logins and App slugs that bypass the rule. */
  bypass: string[];
}

/** A rule as callers specify it. Omitted settings are off, except that administrators are bound. */
export interface ProtectionOptions {
  requiredChecks?: (string | { context: string; appId?: number })[];
  strict?: boolean;
  enforceAdmins?: boolean;
  requiredReviews?: number;
  /** This setting and the next two apply only if `requiredReviews` is set, even to 0. */
  dismissStaleReviews?: boolean;
  codeOwnerReviews?: boolean;
  lastPushApproval?: boolean;
  conversationResolution?: boolean;
  allowForcePushes?: boolean;
  allowDeletions?: boolean;
  linearHistory?: boolean;
  signatures?: boolean;
  locked?: boolean;
  bypass?: string[];
}

/** @param seed determines the order of the required checks, because GitHub does not define it */
export function createProtection(pattern: string, options: ProtectionOptions, seed: number): Protection {
  const requiredChecks = (options.requiredChecks ?? []).map((check) =>
    typeof check === "string"
      ? { context: check, appId: null }
      : { context: check.context, appId: check.appId ?? null },
  );
  return {
    pattern,
    requiredChecks: shuffle(seed, requiredChecks, ({ context, appId }) => `${context} ${appId}`),
    strict: options.strict ?? false,
    enforceAdmins: options.enforceAdmins ?? true,
    requiredReviews: options.requiredReviews ?? null,
    reviews: reviewRules(options),
    allowForcePushes: options.allowForcePushes ?? false,
    allowDeletions: options.allowDeletions ?? false,
    linearHistory: options.linearHistory ?? false,
    signatures: options.signatures ?? false,
    locked: options.locked ?? false,
    bypass: options.bypass ?? [],
  };
}

function reviewRules(options: ProtectionOptions): ReviewRules {
  const areRequired = options.requiredReviews !== undefined;
  return {
    approvals: options.requiredReviews ?? 0,
    dismissStale: areRequired && (options.dismissStaleReviews ?? false),
    codeOwners: areRequired && (options.codeOwnerReviews ?? false),
    lastPushApproval: areRequired && (options.lastPushApproval ?? false),
    conversations: options.conversationResolution ?? false,
  };
}

/** Returns the rule of a branch: a rule with its exact name takes precedence over patterns. */
export function protectionOf(protections: readonly Protection[], branch: string): Protection | null {
  return (
    protections.find(({ pattern }) => pattern === branch) ??
    protections.find(({ pattern }) => matchesGlob(branch, pattern)) ??
    null
  );
}

/**
 * The state of a required check on a commit, worst first.
 * - `failing`: a report failed; no other report makes up for it.
 * - `expected`: there is no report with this name (or none of the required App).
 */
const states = ["failing", "expected", "pending", "queued", "in progress", "passed"] as const;
type RequiredCheckState = (typeof states)[number];

const PASSING_CONCLUSIONS = new Set(["success", "neutral", "skipped"]);

/**
 * Returns the state of a required check. A check run and a status of the same name must both pass, and so must the latest run of
 * every suite.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks
 */
export function requiredCheckState(
  repository: Repository,
  sha: string,
  check: RequiredCheck,
): RequiredCheckState {
  const reports: RequiredCheckState[] = [];
  for (const suite of repository.suitesOf(sha)) {
    if (check.appId !== null && suite.app.id !== check.appId) continue;
    const run = latestRuns(suite).find(({ name }) => name === check.context);
    if (run === undefined) continue;
    if (run.status === "completed") {
      reports.push(PASSING_CONCLUSIONS.has(run.conclusion ?? "") ? "passed" : "failing");
    } else if (run.status === "queued") reports.push("queued");
    else reports.push(run.status === "in_progress" ? "in progress" : "pending");
  }
  const status = repository
    .statusesOf(sha)
    .filter((one) => one.context === check.context && (check.appId === null || one.app?.id === check.appId))
    .at(-1);
  if (status !== undefined) {
    if (status.state === "success") reports.push("passed");
    else reports.push(status.state === "pending" ? "pending" : "failing");
  }
  return states.find((state) => reports.includes(state)) ?? "expected";
}

/** Returns GitHub's message about the required checks that have not passed, or null if all have. */
export function unmetChecksMessage(
  required: readonly RequiredCheck[],
  stateOf: (check: RequiredCheck) => RequiredCheckState,
): string | null {
  const unmet = required
    .map((check) => ({ context: check.context, state: stateOf(check) }))
    .filter(({ state }) => state !== "passed");
  const [first] = unmet;
  if (first === undefined) return null;
  if (unmet.length === 1) return `Required status check "${first.context}" is ${first.state}.`;
  const share = `${unmet.length} of ${required.length} required status checks`;
  const counts = Map.groupBy(unmet, ({ state }) => state);
  if (counts.size === 1) return `${share} are ${first.state}.`;
  const parts = [...counts].map(([state, checks]) => `${checks.length} ${state}`);
  return `${share} have not succeeded: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}
