import type { Sandbox } from "../sandbox/sandbox.ts";

export interface CallCounts {
  readonly restCalls: number;
  readonly restCallsPerMerged: number;
  readonly graphqlCalls: number;
}

/**
 * What the service asked of GitHub's APIs, as the sandbox saw it; answers of 304 are free and do not count. The pull requests
 * that merged bear everything, also what was asked about the others.
 */
export function countCalls({ requests }: Sandbox, merged: number): CallCounts {
  const calls = requests.entries.filter(({ actor }) => actor === "installation" || actor === "app");
  const rest = calls.filter(({ operationId }) => !operationId?.startsWith("graphql/")).length;
  return {
    restCalls: rest,
    restCallsPerMerged: Math.round((rest / Math.max(1, merged)) * 10) / 10,
    graphqlCalls: calls.length - rest,
  };
}
