import { type Targets, unionOf } from "./targets.ts";

/** Who may say what a pull request impacts: somebody with a token of the organisation, or the run of a fork's workflow, without one. */
export type TargetSource = "organisation" | "fork";

/** What holds of one head, and the most trusted source that has said so. */
export interface TargetClaim {
  readonly source: TargetSource;
  readonly targets: Targets;
}

/** So many fit into one request; more than that is taken for everything. */
const maxTargets = 7_000_000;

/**
 * Whether a source may only add to what another has said of the same head. Otherwise it replaces that: it said it itself, or is
 * trusted more. Whoever says too little has a pull request tested with less around it, and too much is always safe.
 */
export function mayOnlyAdd(source: TargetSource, to: TargetSource): boolean {
  return source === "fork" && to === "organisation";
}

/** What holds once a less trusted source has said something, too. */
export function addToClaim({ source, targets }: TargetClaim, added: Targets): TargetClaim {
  const both = unionOf(targets, added);
  return { source, targets: both !== "ALL" && both.size > maxTargets ? "ALL" : both };
}
