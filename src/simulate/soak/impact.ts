import type { Targets } from "../../engine/targets.ts";

/** Whether two impact something in common, said independently of the engine; null = it is not known, so everything. */
export function impactTheSame(one: Targets | null | undefined, other: Targets | null | undefined): boolean {
  const [a, b] = [one ?? "ALL", other ?? "ALL"];
  if (a.length === 0 || b.length === 0) return false;
  return a === "ALL" || b === "ALL" || a.some((target) => b.includes(target));
}
