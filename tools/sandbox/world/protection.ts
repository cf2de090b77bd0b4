import { matchesGlob } from "node:path";
import { shuffle } from "../seeded-draw.ts";
import type { ReviewRules } from "./review-rules.ts";

export interface RequiredCheck {
  context: string;
  /** Only this App's report counts. Null: anybody's. */
  appId: number | null;
}

/**
 * A classic branch protection rule.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
 */
export interface Protection {
  /** A branch name or an fnmatch pattern of one. */
  pattern: string;
  requiredChecks: RequiredCheck[];
  /** A pull request's head must contain the base tip before it may merge. */
  strict: boolean;
  /** Without it the rule does not bind administrators. */
  enforceAdmins: boolean;
  /** Approvals that a pull request needs; null: changes need no pull request. */
  requiredReviews: number | null;
  /** What it wants of reviews and conversations. */
  reviews: ReviewRules;
  allowForcePushes: boolean;
  allowDeletions: boolean;
  linearHistory: boolean;
  /** Logins, and slugs of Apps, that the rule does not bind. */
  bypass: string[];
}

/** A rule as callers write it. Everything left out is off, except that administrators are bound. */
export interface ProtectionOptions {
  requiredChecks?: (string | { context: string; appId?: number })[];
  strict?: boolean;
  enforceAdmins?: boolean;
  requiredReviews?: number;
  /** The further settings of required reviews count only where these are required, be it 0 of them. */
  dismissStaleReviews?: boolean;
  codeOwnerReviews?: boolean;
  lastPushApproval?: boolean;
  conversationResolution?: boolean;
  allowForcePushes?: boolean;
  allowDeletions?: boolean;
  linearHistory?: boolean;
  bypass?: string[];
}

/** @param seed decides the order of the required checks, of which GitHub promises none */
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

/** The rule of a branch: its own before any pattern's. */
export function protectionOf(protections: readonly Protection[], branch: string): Protection | null {
  return (
    protections.find(({ pattern }) => pattern === branch) ??
    protections.find(({ pattern }) => matchesGlob(branch, pattern)) ??
    null
  );
}
