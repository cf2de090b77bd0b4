import { type Targets, unionOf } from "./targets.ts";

/** The source of a pull request's impacted targets: a client with a token of the organisation, or a fork's workflow run, which has none. */
export type TargetSource = "organisation" | "fork";

/** The accepted targets of one head, and the most trusted source that has uploaded targets for it. */
export interface TargetClaim {
  readonly source: TargetSource;
  readonly targets: Targets;
}

/** The maximum number of targets that fit into one request. A larger union counts as `ALL`. */
const maxTargets = 7_000_000;

/**
 * Whether a source may only add to the targets that another source uploaded for the same head. Otherwise it replaces them: they are its
 * own, or it is trusted more. Too few targets would let a pull request be tested with too few others; too many are always safe.
 */
export function mayOnlyAdd(source: TargetSource, to: TargetSource): boolean {
  return source === "fork" && to === "organisation";
}

/** The claim after a less trusted source has added targets. */
export function addToClaim({ source, targets }: TargetClaim, added: Targets): TargetClaim {
  const both = unionOf(targets, added);
  return { source, targets: both !== "ALL" && both.size > maxTargets ? "ALL" : both };
}
