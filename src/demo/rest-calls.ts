import type { Sandbox } from "../sandbox/sandbox.ts";

export interface CallCounts {
  readonly restCalls: number;
  readonly restCallsPerMerged: number;
  readonly contentRequestsPerMerged: number;
  readonly graphqlCalls: number;
}

/** Of the operations' ids, those that write what people see. */
const writesContent =
  /\b(add|create|update)(Issue)?(Comment|Reaction|CheckRun)\b|pulls\/merge|(issues|checks)\/(create|update)/;

/**
 * What the service asked of GitHub's APIs, as the sandbox saw it; answers of 304 are free and do not count. The pull requests
 * that merged bear everything, also what was asked about the others.
 */
export function countCalls({ requests }: Sandbox, merged: number): CallCounts {
  const calls = requests.entries.filter(({ actor }) => actor === "installation" || actor === "app");
  const content = calls.filter(({ operationId }) => writesContent.test(operationId ?? "")).length;
  const share = (count: number) => Math.round((count / Math.max(1, merged)) * 10) / 10;
  const rest = calls.filter(({ operationId }) => !operationId?.startsWith("graphql/")).length;
  return {
    restCalls: rest,
    restCallsPerMerged: share(rest),
    contentRequestsPerMerged: share(content),
    graphqlCalls: calls.length - rest,
  };
}
