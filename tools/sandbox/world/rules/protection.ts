import { matchesGlob } from "node:path";
import { shuffle } from "../../seeded-draw.ts";
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
  /** Only refuses rebases; merges and pushes of unsigned commits are refused by rulesets alone. */
  signatures: boolean;
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
