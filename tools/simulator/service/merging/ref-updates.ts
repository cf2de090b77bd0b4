import type { MergeEffects } from "./merge-effects.ts";
import type { OwnBranches } from "./own-branches.ts";

/** A change of a branch, as the mutation `updateRefs` has it. */
export interface RefUpdate {
  /** With `refs/heads/`. */
  readonly name: string;
  readonly afterOid: string;
  /** Zeros = it must not exist; absent = anything. */
  readonly beforeOid?: string;
}

export const nowhere = "0".repeat(40);

export const branchOf = (ref: string): string => ref.replace(/^(refs\/)?heads\//, "");

/** Changes a branch. Returns why not; null = done. */
export function updateRef(
  { name, beforeOid, afterOid }: RefUpdate,
  effects: MergeEffects,
  own: OwnBranches,
  approved: ReadonlySet<number>,
): string | null {
  const branch = branchOf(name);
  const tip = effects.tipOf(branch);
  const present = tip ?? own.tipOf(branch) ?? nowhere;
  if (beforeOid === nowhere && present !== nowhere) return "Reference already exists";
  if (beforeOid !== undefined && beforeOid !== present) return `${branch} is at another commit`;
  if (tip !== null) return effects.fastForward(branch, afterOid, approved);
  own.set(branch, afterOid);
  return null;
}
