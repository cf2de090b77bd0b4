import type { DoctorFacts, RuleFact } from "../../ports/code-host/doctor-facts.ts";
import type { Fault } from "./finding.ts";

/** How a branch is changed: `merge` merges a pull request, `ref` moves or creates the branch itself. */
export type Way = "merge" | "ref";

/** Whether a rule binds the App for one way of changing a branch; null when GitHub does not disclose it. */
export function binds({ ruleset }: RuleFact, way: Way): boolean | null {
  switch (ruleset.bypass) {
    case "exempt":
      return false;
    case "always":
    case "pull_request":
      // In the API, these bypass modes apply only when a pull request is merged.
      return way === "ref";
    case "never":
      return true;
    case "unknown":
      return null;
  }
}

/** The rules of these types that bind the App, or may bind it. */
export function bindingRules(rules: readonly RuleFact[], types: readonly string[], way: Way): RuleFact[] {
  return rules.filter((rule) => types.includes(rule.type) && binds(rule, way) !== false);
}

/**
 * A rule that certainly binds the App is an error. It is fatal if GitHub says that the App cannot bypass it
 * in any way.
 */
export function weigh(rules: readonly RuleFact[], way: Way): Pick<Fault, "severity" | "isFatal"> {
  if (rules.some(({ ruleset }) => ruleset.bypass === "never")) return { severity: "error", isFatal: true };
  return { severity: rules.some((rule) => binds(rule, way)) ? "error" : "warning" };
}

/** The rules by name, with the App's known bypass. */
export function describeRules(rules: readonly RuleFact[]): string {
  const said = rules.map(({ type, ruleset }) => `${type} in "${ruleset.name}" (${bypasses[ruleset.bypass]})`);
  return [...new Set(said)].join("; ");
}

const bypasses = {
  always: "the App may bypass it in mode Always",
  pull_request: "the App may bypass it for pull requests only",
  exempt: "the App is exempt",
  never: "the App may not bypass it",
  unknown: "GitHub does not tell whether the App may bypass it",
} as const;

/** The page of the first rule's ruleset. */
export function pageOf(rules: readonly RuleFact[], { url }: DoctorFacts["repository"]): string {
  return rules.find(({ ruleset }) => ruleset.url !== null)?.ruleset.url ?? `${url}/settings/rules`;
}

/** Rules that allow changes of the base only by merging pull requests, unless the App is exempt. */
const againstMoving = ["update", "pull_request", "merge_queue"];

/** Whether the base cannot be moved to a tested commit, so that GitHub must merge each pull request. */
export function mergesOneByOne(base: readonly RuleFact[]): boolean {
  return bindingRules(base, againstMoving, "ref").length > 0;
}
