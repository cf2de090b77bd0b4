import type { Targets } from "../../../src/engine/model/targets.ts";

/** Whether two impact something in common, said independently of the engine; null = it is not known, so everything. */
export function impactTheSame(one: Targets | null | undefined, other: Targets | null | undefined): boolean {
  const [a, b] = [one ?? "ALL", other ?? "ALL"];
  const [some, others] = [a, b].map((targets) => (targets === "ALL" ? null : [...targets]));
  if (some?.length === 0 || others?.length === 0) return false;
  return !some || !others || some.some((target) => others.includes(target));
}
