/**
 * Operations that create content by GitHub's description: the REST operations with `triggersNotification`, and the equivalent
 * mutations.
 */
const contentOperations: ReadonlySet<string> = new Set([
  "issues/create",
  "issues/create-comment",
  "pulls/create",
  "pulls/create-review",
  "pulls/merge",
  "pulls/merge-async",
  "graphql/addComment",
  "graphql/createIssue",
  "graphql/createPullRequest",
  "graphql/addPullRequestReview",
  "graphql/mergePullRequest",
]);

export const createsContent = (operationId: string): boolean => contentOperations.has(operationId);
