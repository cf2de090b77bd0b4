import type { SimulatedPullRequest, Workload } from "../../../src/replay/workload/workload.ts";

/** Renders the workload as JSON Lines. `parseWorkload` restores exactly the same workload. */
export function renderWorkload(workload: Workload): string {
  const { durationNoise, ...settings } = workload.settings;
  const lines: object[] = [
    { type: "settings", ...settings, ...(durationNoise === 0 ? {} : { durationNoise }) },
    ...workload.pullRequests.map(pullRequestLine),
    ...workload.conflicts.map(({ a, b }) => ({ type: "conflict", a, b })),
    ...workload.cancellations.map(({ n, at }) => ({ type: "cancel", n, at })),
    ...(workload.outages ?? []).map(({ from, to }) => ({ type: "outage", from, to })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function pullRequestLine({ risk, ...rest }: SimulatedPullRequest): object {
  return { type: "pr", ...rest, ...(risk === null ? {} : { risk }) };
}
