import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the service's process reads at each boundary. */
export interface CrashPlan {
  /** Boundaries are counted separately for each run. */
  readonly run: string;
  /** The boundary at which the process is killed, counted from 1; null = at none. */
  readonly killAt: number | null;
}

export const planFile = (directory: string): string => join(directory, "plan.json");

/** The list of the boundaries that a run has passed, one on each line. */
export const pointsFile = (directory: string, run: string): string => join(directory, `${run}.points`);

export function writePlan(directory: string, plan: CrashPlan): void {
  writeFileSync(planFile(directory), JSON.stringify(plan));
}
