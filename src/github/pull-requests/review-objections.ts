import * as z from "zod";
import type { Objection } from "../../engine/reasons/objection.ts";
import { askGraphql, pullRequestQuery, type RepositoryApi } from "../client/repository-api.ts";
import { readRuleDemands, reviewRequiredBy } from "./objections-by-rest.ts";

const page = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const threads = z.object({ nodes: z.array(z.object({ isResolved: z.boolean() })), pageInfo: page });
const review = z.object({ state: z.string(), author: z.object({ login: z.string() }).nullable() });
const rule = z.object({
  parameters: z.object({ requiredReviewThreadResolution: z.boolean().optional() }).nullable(),
});

const ruleList = z.object({ nodes: z.array(rule), pageInfo: page });

/** The shape of `reviewFields`. */
export const reviewShape = {
  reviewDecision: z.string().nullable(),
  latestOpinionatedReviews: z.object({ nodes: z.array(review) }).nullable(),
  reviewThreads: threads,
  baseRef: z
    .object({
      refUpdateRule: z.object({ requiresConversationResolution: z.boolean() }).nullable(),
      rules: ruleList.nullable(),
    })
    .nullable(),
};

const node = z.object(reviewShape);
type ReviewedPullRequest = z.infer<typeof node> & { readonly baseRefName: string };

const threadFields = "nodes { isResolved } pageInfo { hasNextPage endCursor }";

const ruleFields = `nodes { parameters { ... on PullRequestParameters { requiredReviewThreadResolution } } }
  pageInfo { hasNextPage endCursor }`;

/** Fields of a `PullRequest`. The rules of its base come from branch protection and from rulesets. */
export const reviewFields = `reviewDecision
  latestOpinionatedReviews(first: 50, writersOnly: true) { nodes { state author { login } } }
  reviewThreads(first: 100) { ${threadFields} }
  baseRef {
    refUpdateRule { requiresConversationResolution }
    rules(first: 100) { ${ruleFields} }
  }`;

/**
 * The objections of reviewers and of their open conversations to a merge, if the base's rules require reviews or resolved
 * conversations. They count even if the rules do not bind us as an App. Without a `reviewDecision`, no review is required.
 */
export async function objectionsOf(
  api: RepositoryApi,
  number: number,
  pull: ReviewedPullRequest,
): Promise<Objection[]> {
  const objections: Objection[] = [];
  if (pull.reviewDecision !== "CHANGES_REQUESTED") objections.push(...reviewRequiredBy(pull.reviewDecision));
  else {
    const reviews = pull.latestOpinionatedReviews?.nodes ?? [];
    const against = reviews.filter(({ state }) => state === "CHANGES_REQUESTED");
    const by = against.flatMap(({ author }) => author?.login ?? []).sort();
    objections.push({ code: "CHANGES_REQUESTED", by });
  }
  const wantsResolution = await isResolutionWanted(api, number, pull);
  const count = wantsResolution ? await countOpen(api, number, pull.reviewThreads) : 0;
  return count > 0 ? [...objections, { code: "CONVERSATIONS_OPEN", count }] : objections;
}

/** Whether a rule of the base requires resolved conversations. If there is no conversation, further pages of rules are not read. */
async function isResolutionWanted(
  api: RepositoryApi,
  number: number,
  { baseRef, baseRefName, reviewThreads }: ReviewedPullRequest,
): Promise<boolean> {
  if (baseRef?.refUpdateRule?.requiresConversationResolution) return true;
  let rules = baseRef?.rules ?? null;
  for (;;) {
    if (rules?.nodes.some(({ parameters }) => parameters?.requiredReviewThreadResolution)) return true;
    if (!baseRef || reviewThreads.nodes.length === 0) return false;
    // GraphQL does not show the rules, which does not mean that there are none.
    if (!rules) return (await readRuleDemands(api, baseRefName)).conversations;
    if (!rules.pageInfo.hasNextPage) return false;
    const page = await askGraphql(api, rulesQuery, { number, after: rules.pageInfo.endCursor });
    rules = page.pullRequest.baseRef?.rules ?? null;
  }
}

const rulesQuery = pullRequestQuery(
  `baseRef { rules(first: 100, after: $after) { ${ruleFields} } }`,
  z.object({ baseRef: z.object({ rules: ruleList.nullable() }).nullable() }),
  "$after: String",
);

const threadsQuery = pullRequestQuery(
  `reviewThreads(first: 100, after: $after) { ${threadFields} }`,
  z.object({ reviewThreads: threads }),
  "$after: String",
);

async function countOpen(
  api: RepositoryApi,
  number: number,
  first: z.infer<typeof threads>,
): Promise<number> {
  let { nodes, pageInfo } = first;
  let count = 0;
  for (;;) {
    count += nodes.filter(({ isResolved }) => !isResolved).length;
    if (!pageInfo.hasNextPage) return count;
    const { pullRequest } = await askGraphql(api, threadsQuery, { number, after: pageInfo.endCursor });
    ({ nodes, pageInfo } = pullRequest.reviewThreads);
  }
}
