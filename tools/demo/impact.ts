import type { DemoPullRequest } from "./scenario.ts";

const teams = 4;

/**
 * What a pull request of the demo impacts, as a build tool would tell: those that belong together share a target, and the
 * widgets are spread over some teams.
 */
export function impactOf({ name, truth }: DemoPullRequest): string[] {
  if (truth.ends === "one_of") return [truth.group];
  const widget = /^widget-(\d+)$/.exec(name);
  return [widget ? `widgets/team-${Number(widget[1]) % teams}` : name];
}
