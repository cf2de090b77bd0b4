import type { DemoPullRequest } from "../scenario.ts";

const teams = 4;

/**
 * Returns the impacted targets of a demo pull request, as a build tool would. Members of a group share a target. Widgets are
 * spread over several teams.
 */
export function impactOf({ name, truth }: DemoPullRequest): string[] {
  if (truth.ends === "one_of") return [truth.group];
  const widget = /^widget-(\d+)$/.exec(name);
  return [widget ? `widgets/team-${Number(widget[1]) % teams}` : name];
}
