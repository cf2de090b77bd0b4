import type { DoctorFacts, RuleFact } from "../../ports/doctor-facts.ts";
import type { Fault } from "./finding.ts";

/** How a branch is changed: by merging a pull request, or by moving or creating the branch itself. */
export type Way = "merge" | "ref";

/** Whether a rule binds the App in one way of changing a branch; null: GitHub does not tell. */
export function binds({ ruleset }: RuleFact, way: Way): boolean | null {
  switch (ruleset.bypass) {
    case "exempt":
      return false;
    case "always":
    case "pull_request":
      // Of the API's ways, only merging a pull request honours these.
      return way === "ref";
    case "never":
      return true;
    case "unknown":
      return null;
  }
}

/** The rules of one type that bind the App, or may do so. */
export function bindingRules(rules: readonly RuleFact[], types: readonly string[], way: Way): RuleFact[] {
  return rules.filter((rule) => types.includes(rule.type) && binds(rule, way) !== false);
}

/** What is certain is an error, and fatal where GitHub says that the App cannot bypass it in any way. */
export function weigh(rules: readonly RuleFact[], way: Way): Pick<Fault, "severity" | "isFatal"> {
  if (rules.some(({ ruleset }) => ruleset.bypass === "never")) return { severity: "error", isFatal: true };
  return { severity: rules.some((rule) => binds(rule, way)) ? "error" : "warning" };
}

/** The rules by name, with what is known of the App's way round them. */
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

/** Rules that let the base change by merged pull requests only, unless the App is exempt. */
const againstMoving = ["update", "pull_request", "merge_queue"];

/** Whether the base cannot be moved to a tested commit, so that GitHub has to merge each pull request. */
export function mergesOneByOne(base: readonly RuleFact[]): boolean {
  return bindingRules(base, againstMoving, "ref").length > 0;
}
