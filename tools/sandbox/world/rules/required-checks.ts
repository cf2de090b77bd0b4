import { latestRuns } from "../checks/check.ts";
import type { Repository } from "../repository.ts";
import type { RequiredCheck } from "./protection.ts";

/**
 * The state of a required check on a commit, worst first.
 * - `failing`: a report failed; no other report makes up for it.
 * - `expected`: there is no report with this name (or none of the required App).
 */
const states = ["failing", "expected", "pending", "queued", "in progress", "passed"] as const;
export type RequiredCheckState = (typeof states)[number];

const PASSING_CONCLUSIONS = new Set(["success", "neutral", "skipped"]);

/**
 * Returns the state of a required check. A check run and a status of the same name must both pass, and so must the latest run of
 * every suite.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks
 */
export function requiredCheckState(
  repository: Repository,
  sha: string,
  check: RequiredCheck,
): RequiredCheckState {
  const reports: RequiredCheckState[] = [];
  for (const suite of repository.suitesOf(sha)) {
    if (check.appId !== null && suite.app.id !== check.appId) continue;
    const run = latestRuns(suite).find(({ name }) => name === check.context);
    if (run === undefined) continue;
    if (run.status === "completed") {
      reports.push(PASSING_CONCLUSIONS.has(run.conclusion ?? "") ? "passed" : "failing");
    } else if (run.status === "queued") reports.push("queued");
    else reports.push(run.status === "in_progress" ? "in progress" : "pending");
  }
  const status = repository
    .statusesOf(sha)
    .filter((one) => one.context === check.context && (check.appId === null || one.app?.id === check.appId))
    .at(-1);
  if (status !== undefined) {
    if (status.state === "success") reports.push("passed");
    else reports.push(status.state === "pending" ? "pending" : "failing");
  }
  return states.find((state) => reports.includes(state)) ?? "expected";
}

/** Returns GitHub's message about the required checks that have not passed, or null if all have. */
export function unmetChecksMessage(
  required: readonly RequiredCheck[],
  stateOf: (check: RequiredCheck) => RequiredCheckState,
): string | null {
  const unmet = required
    .map((check) => ({ context: check.context, state: stateOf(check) }))
    .filter(({ state }) => state !== "passed");
  const [first] = unmet;
  if (first === undefined) return null;
  if (unmet.length === 1) return `Required status check "${first.context}" is ${first.state}.`;
  const share = `${unmet.length} of ${required.length} required status checks`;
  const counts = Map.groupBy(unmet, ({ state }) => state);
  if (counts.size === 1) return `${share} are ${first.state}.`;
  const parts = [...counts].map(([state, checks]) => `${checks.length} ${state}`);
  return `${share} have not succeeded: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}
