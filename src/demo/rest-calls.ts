import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Ended } from "./verify.ts";

export interface CallCounts {
  readonly restCalls: number;
  readonly restCallsPerMerged: number;
}

/**
 * What the service asked of the REST API, as the sandbox saw it; answers of 304 are free and do not count. A pull request
 * bears the calls that are about it, its retests included, and an equal share of those that are about none.
 */
export function countCalls({ requests }: Sandbox, ended: readonly Ended[]): CallCounts {
  const calls = requests.entries.filter(({ actor }) => actor === "installation" || actor === "app");
  const merged = new Set(ended.filter(({ state }) => state === "merged").map(({ number }) => number));
  const own = calls.filter(({ pull }) => pull !== null && merged.has(pull)).length;
  const nobodys = calls.filter(({ pull }) => pull === null).length;
  const perMerged = own / Math.max(1, merged.size) + nobodys / Math.max(1, ended.length);
  return { restCalls: calls.length, restCallsPerMerged: Math.round(perMerged * 10) / 10 };
}
