import type { Rule } from "../world/ruleset.ts";

/** The rules of a page that begins behind a cursor; a cursor is the place of the last one before it. */
export function rulePage(rules: readonly Rule[], { first = 0, after }: { first?: number; after?: string }) {
  const from = after === undefined ? 0 : Number(after);
  const end = Math.min(from + first, rules.length);
  const nodes = rules.slice(from, end).map((rule) => ({ parameters: parametersOf(rule) }));
  return { nodes, pageInfo: { endCursor: String(end), hasNextPage: end < rules.length } };
}

/** Those of other rules are of types that nothing here asks for. */
function parametersOf(rule: Rule) {
  if (rule.type !== "pull_request") return null;
  const requiredReviewThreadResolution = rule.parameters.required_review_thread_resolution;
  return { __typename: "PullRequestParameters", requiredReviewThreadResolution };
}
