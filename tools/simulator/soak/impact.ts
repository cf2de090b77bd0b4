import type { Targets } from "../../../src/engine/model/targets.ts";

/**
 * Whether two pull requests impact a common target, computed independently of the engine; null = unknown, which counts as all
 * targets.
 */
export function impactTheSame(one: Targets | null | undefined, other: Targets | null | undefined): boolean {
  const [a, b] = [one ?? "ALL", other ?? "ALL"];
  const [some, others] = [a, b].map((targets) => (targets === "ALL" ? null : [...targets]));
  if (some?.length === 0 || others?.length === 0) return false;
  return !some || !others || some.some((target) => others.includes(target));
}
