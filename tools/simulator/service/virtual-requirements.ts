import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import type { ServicePlan } from "./service-plan.ts";

const minuteMs = 60_000;
/** How long a merge may rely on an earlier requirement. Calls are slow, so the last reading is some seconds older than the merge. */
const graceMs = 20_000;
/** The check that no test reports. */
const absent = "docs";

/** The source of required checks, and their changes. The first checks are required from the start. */
export interface PlannedRequirements {
  /** The settings of the queue of `main`, the repository file, or the rules of the branch. */
  readonly source: "setting" | "file" | "rules";
  readonly first: readonly string[];
  readonly changes: readonly { readonly at: number; readonly checks: readonly string[] }[];
}

/**
 * In every fifth life, a check becomes required, or stops being required, while pull requests are tested. In these lives no process is
 * suspended, because it could be suspended between its last reading and the merge.
 */
export function drawRequirements(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 560_000_003 + 50);
  const [chance, which, way, start, length] = [random(), random(), random(), random(), random()];
  if (chance >= 0.2) return plan;
  const source = (["setting", "file", "rules"] as const)[Math.floor(which * 3)] ?? "rules";
  const [build, all] = [["build"], ["build", "lint"]];
  const at = Math.round(start * 5 * minuteMs);
  const later = at + Math.round((1 + length * 3) * minuteMs);
  const isReached = plan.downtime === null && (plan.incident?.calls ?? "half") === "half";
  const planned =
    way < 0.5
      ? { first: build, changes: [{ at, checks: all }] }
      : way < 0.75 || !isReached
        ? {
            first: all,
            changes: [
              { at, checks: build },
              { at: later, checks: all },
            ],
          }
        : { first: [...build, absent], changes: [{ at, checks: all }] };
  const settings = source === "setting" ? { requiredStatuses: planned.first } : {};
  return {
    ...plan,
    requirements: { source, ...planned },
    suspensions: [],
    downtime: plan.downtime && { ...plan.downtime, isFrozen: false },
    settings: { ...plan.settings, ...settings },
  };
}

/** The required checks now, and in the past. Judges merges by them. */
export class VirtualRequirements {
  readonly source: PlannedRequirements["source"];
  readonly violations: string[] = [];
  readonly #log: { readonly from: number; readonly checks: readonly string[] }[];

  constructor(planned: PlannedRequirements | null, otherwise: readonly string[]) {
    this.source = planned?.source ?? "rules";
    this.#log = [{ from: Number.NEGATIVE_INFINITY, checks: planned?.first ?? otherwise }];
  }

  get now(): readonly string[] {
    return this.#log.at(-1)?.checks ?? [];
  }

  change(checks: readonly string[], from: number): void {
    this.#log.push({ from, checks });
  }

  /** Judges a merge by the queue. `isPassed` tells whether a check has passed in a test of the merged head. */
  judgeMerge(pr: number, at: number, isPassed: (checks: readonly string[]) => boolean): void {
    const inForce = this.#log.filter(({ from }, index) => {
      const until = this.#log[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      return until > at - graceMs && from <= at;
    });
    if (!inForce.some(({ checks }) => isPassed(checks)))
      this.violations.push(`#${pr} was merged without a check that was required: ${this.now.join(", ")}`);
  }
}
