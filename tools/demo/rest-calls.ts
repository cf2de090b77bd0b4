import type { Sandbox } from "../sandbox/sandbox.ts";

export interface CallCounts {
  readonly restCalls: number;
  readonly restCallsPerMerged: number;
  /** Those that create what people see: GitHub limits these. Edits do not count (ADR 59). */
  readonly contentRequestsPerMerged: number;
  /** Those that create it or change it. */
  readonly writingRequestsPerMerged: number;
  readonly graphqlCalls: number;
}

/** Of the operations' ids, those that create what people see, and those that change it. */
const createsContent = /\b(add|create)(Comment|Reaction|CheckRun)\b|pulls\/merge|(issues|checks)\/create/;
const changesContent = /\bupdate(IssueComment|CheckRun)\b|(issues|checks)\/update/;

/**
 * What the service asked of GitHub's APIs, as the sandbox saw it; answers of 304 are free and do not count. The pull requests
 * that merged bear everything, also what was asked about the others.
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
