import * as z from "zod";
import type { Objection } from "../../engine/reasons/objection.ts";
import { readBranchRules } from "../access/protection.ts";
import { permissionOf } from "../access/reach.ts";
import { kindOf } from "../client/code-host-error.ts";
import { pullRequestQuery, type RepositoryApi, tryGraphql } from "../client/repository-api.ts";

/** What the rules of a branch demand of people. */
interface Demands {
  /** Required approvals, as far as rulesets demand them. */
  readonly approvals: number;
  /** Whether a rule demands more reviews than a number of approvals, or REST does not show what it demands. */
  readonly more: boolean;
  readonly conversations: boolean;
}

/**
 * The objections of reviewers and of conversations, for a pull request about which GraphQL does not answer completely. GraphQL is asked
 * only for the decision of the reviewers, because an older server may know that field. Without an answer, approvals are counted by REST.
 * REST shows neither whether conversations are resolved, nor whether the code owners approved, nor what branch protection demands: then the
 * objection is that this is unknown. What no rule demands is not needed.
 */
export async function objectionsByRest(
  api: RepositoryApi,
  pull_number: number,
  base: string,
): Promise<Objection[]> {
  const [told, ofRules] = await Promise.all([askDecision(api, pull_number), readRuleDemands(api, base)]);
  const unknown: Objection[] = [{ code: "REVIEW_UNKNOWN" }];
  if (told === null) {
    const isProtected = await hasProtection(api, base);
    const demands = { ...ofRules, more: ofRules.more || isProtected };
    const objection = await objectionOfReviews(api, pull_number, demands);
    return objection ? [objection] : ofRules.conversations ? unknown : [];
  }
  if (told.decision === "CHANGES_REQUESTED") {
    const { against } = await readOpinions(api, pull_number);
    return [{ code: "CHANGES_REQUESTED", by: against }];
  }
  const required = reviewRequiredBy(told.decision);
  if (required.length > 0) return required;
  return told.conversations || ofRules.conversations ? unknown : [];
}

/** The objection of a decision other than `CHANGES_REQUESTED`. A value that we do not know may demand anything. */
export function reviewRequiredBy(decision: string | null): Objection[] {
  if (decision === null || decision === "APPROVED") return [];
  return [{ code: "REVIEW_REQUIRED", ...(decision === "REVIEW_REQUIRED" ? {} : { decision }) }];
}

const decisionQuery = pullRequestQuery(
  "reviewDecision baseRef { refUpdateRule { requiresConversationResolution } }",
  z
    .object({
      reviewDecision: z.string().nullable(),
      baseRef: z
        .object({ refUpdateRule: z.object({ requiresConversationResolution: z.boolean() }).nullable() })
        .nullable(),
    })
    .nullable(),
);

/** The decision of the reviewers, null when no rule requires a review, and whether protection demands resolved conversations. */
async function askDecision(api: RepositoryApi, number: number) {
  const pull = (await tryGraphql(api, decisionQuery, { number }))?.pullRequest;
  if (!pull) return null;
  const conversations = pull.baseRef?.refUpdateRule?.requiresConversationResolution ?? false;
  return { decision: pull.reviewDecision, conversations };
}

/** Parameters of a rule that demand nothing of people. Unknown parameters may demand something. */
const harmless: ReadonlySet<string> = new Set([
  "allowed_merge_methods",
  "automatic_copilot_code_review_enabled",
  "dismiss_stale_reviews_on_push",
  "dismissal_restriction",
]);

/** What the rulesets of a branch demand of people. */
export async function readRuleDemands(api: RepositoryApi, base: string): Promise<Demands> {
  const demands = { approvals: 0, more: false, conversations: false };
  for (const rule of (await readBranchRules(api, base)) ?? []) {
    if (rule.type !== "pull_request") continue;
    const { parameters } = rule;
    // An answer without the number says nothing.
    if (parameters?.required_approving_review_count === undefined) demands.more = true;
    for (const [name, value] of Object.entries(parameters ?? {})) {
      const isDemanded = Array.isArray(value) ? value.length > 0 : Boolean(value);
      if (!isDemanded || harmless.has(name)) continue;
      if (name === "required_approving_review_count")
        demands.approvals = Math.max(demands.approvals, Number(value));
      else if (name === "required_review_thread_resolution") demands.conversations = true;
      else demands.more = true;
    }
  }
  return demands;
}

/** Only administrators may read what branch protection demands. Rulesets do not count as protection here. */
async function hasProtection({ octokit, at }: RepositoryApi, branch: string): Promise<boolean> {
  const { data } = await octokit.rest.repos.getBranch({ ...at, branch });
  return data.protected && data.protection.enabled !== false;
}

async function objectionOfReviews(
  api: RepositoryApi,
  pull_number: number,
  { approvals, more }: Demands,
): Promise<Objection | null> {
  if (approvals === 0 && !more) return null;
  const { against, approving, unclear } = await readOpinions(api, pull_number);
  if (against.length > 0) return { code: "CHANGES_REQUESTED", by: against };
  if (approving + unclear.length < approvals) return { code: "REVIEW_REQUIRED" };
  const isKnown = !more && approving >= approvals && !unclear.includes("CHANGES_REQUESTED");
  return isKnown ? null : { code: "REVIEW_UNKNOWN" };
}

/**
 * The reviewers with write access who request changes, the number of those who approve, and the opinions of reviewers who may have write
 * access.
 */
async function readOpinions(api: RepositoryApi, pull_number: number) {
  const list = api.octokit.rest.pulls.listReviews;
  const reviews = await api.octokit.paginate(list, { ...api.at, pull_number, per_page: 100 });
  const latest = new Map<string, { login: string | null; isBot: boolean; state: string }>();
  for (const { id, user, state } of reviews) {
    if (state !== "APPROVED" && state !== "CHANGES_REQUESTED" && state !== "DISMISSED") continue;
    latest.set(user?.login ?? `review ${id}`, {
      login: user?.login ?? null,
      isBot: user?.type === "Bot",
      state,
    });
  }
  const opinions = [...latest.values()].filter(({ state }) => state !== "DISMISSED");
  const judged = await Promise.all(
    opinions.map(async (opinion) => ({ ...opinion, writes: await canWrite(api, opinion) })),
  );
  const writing = judged.filter(({ writes }) => writes === true);
  return {
    against: writing
      .flatMap(({ login, state }) => (login && state === "CHANGES_REQUESTED" ? [login] : []))
      .sort(),
    approving: writing.filter(({ state }) => state === "APPROVED").length,
    unclear: judged.flatMap(({ writes, state }) => (writes === null ? [state] : [])),
  };
}

/** Null = unknown: REST does not show the permission of an App or of a deleted account. */
async function canWrite(
  api: RepositoryApi,
  { login, isBot }: { readonly login: string | null; readonly isBot: boolean },
): Promise<boolean | null> {
  if (login === null || isBot) return null;
  try {
    const permission = await permissionOf(api, login);
    return permission === "admin" || permission === "write";
  } catch (error) {
    if (kindOf(error) === "not_found") return null;
    throw error;
  }
}
