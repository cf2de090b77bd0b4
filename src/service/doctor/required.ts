import { parseRepositoryFile } from "../../command/parse-repository-file.ts";
import { branchOfOwnCheck, withoutOwnCheck } from "../../engine/model/checks/own-check.ts";
import type { DoctorFacts, NamedCheck, RuleFact } from "../../ports/code-host/doctor-facts.ts";
import type { DoctorContext } from "./finding.ts";

type RequiringFacts = Pick<DoctorFacts, "protection" | "rules" | "repositoryFile">;

/**
 * The checks that must pass on test branches, and the source of that list; null when the repository file is
 * invalid.
 */
export function requiredOf(
  { protection, rules, repositoryFile }: RequiringFacts,
  { branch, requiredStatuses }: DoctorContext,
): { readonly checks: readonly NamedCheck[]; readonly source: string } | null {
  const named = (names: readonly string[]) => names.map((name) => ({ name, appId: null }));
  if (requiredStatuses)
    return {
      checks: withoutOwnCheck(named(requiredStatuses), branch),
      source: "the queue's requiredStatuses",
    };
  const parsed = parseRepositoryFile(repositoryFile ?? "");
  if (!parsed.ok) return null;
  const inFile = parsed.file.requiredStatuses;
  if (inFile) return { checks: withoutOwnCheck(named(inFile), branch), source: ".github/trainyard.yml" };
  const all = [...protection.required, ...(rules?.base ?? []).flatMap(checksOf)];
  const distinct = [...new Map(all.map((check) => [`${check.appId} ${check.name}`, check])).values()];
  // If the branch was renamed, its rules still have the former name of our check.
  const checks = distinct.filter(({ name }) => branchOfOwnCheck(name) === null);
  return { checks, source: "the branch's rules" };
}

function checksOf({ type, parameters }: RuleFact): NamedCheck[] {
  const { required_status_checks: checks } = parameters;
  if (type !== "required_status_checks" || !Array.isArray(checks)) return [];
  return checks.map(
    ({ context, integration_id: id }: { context: string; integration_id?: number | null }) => ({
      name: context,
      appId: id ?? null,
    }),
  );
}
