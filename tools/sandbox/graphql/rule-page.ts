import type { Rule } from "../world/rules/ruleset.ts";

/** Returns the page of rules after a cursor. A cursor is the number of rules before the page. */
export function rulePage(rules: readonly Rule[], { first = 0, after }: { first?: number; after?: string }) {
  const from = after === undefined ? 0 : Number(after);
  const end = Math.min(from + first, rules.length);
  const nodes = rules.slice(from, end).map((rule) => ({ parameters: parametersOf(rule) }));
  return { nodes, pageInfo: { endCursor: String(end), hasNextPage: end < rules.length } };
}

/** Parameters of other rules have types that no query here requests. */
function parametersOf(rule: Rule) {
  if (rule.type !== "pull_request") return null;
  const requiredReviewThreadResolution = rule.parameters.required_review_thread_resolution;
  return { __typename: "PullRequestParameters", requiredReviewThreadResolution };
}
