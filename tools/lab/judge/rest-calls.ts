import type { Sandbox } from "../../sandbox/sandbox.ts";

export interface CallCounts {
  readonly restCalls: number;
  readonly restCallsPerMerged: number;
  /** Requests that create visible content, which GitHub rate-limits. Edits do not count (ADR 8). */
  readonly contentRequestsPerMerged: number;
  /** Requests that create or change visible content. */
  readonly writingRequestsPerMerged: number;
  readonly graphqlCalls: number;
}

/** Ids of operations that create visible content, and of those that change it. */
const createsContent = /\b(add|create)(Comment|Reaction|CheckRun)\b|pulls\/merge|(issues|checks)\/create/;
const changesContent = /\bupdate(IssueComment|CheckRun)\b|(issues|checks)\/update/;

/**
 * Counts the calls of the service to GitHub's APIs, as the sandbox saw them. Responses with status 304 are free and do not count.
 * Divides by the merged pull requests only, although the calls about other pull requests are included.
 */
export function countCalls({ requests }: Sandbox, merged: number): CallCounts {
  const calls = requests.entries.filter(({ actor }) => actor === "installation" || actor === "app");
  const ids = calls.map(({ operationId }) => operationId ?? "");
  const creating = ids.filter((id) => createsContent.test(id)).length;
  const writing = ids.filter((id) => createsContent.test(id) || changesContent.test(id)).length;
  const share = (count: number) => Math.round((count / Math.max(1, merged)) * 10) / 10;
  const rest = ids.filter((id) => !id.startsWith("graphql/")).length;
  return {
    restCalls: rest,
    restCallsPerMerged: share(rest),
    contentRequestsPerMerged: share(creating),
    writingRequestsPerMerged: share(writing),
    graphqlCalls: calls.length - rest,
  };
}
