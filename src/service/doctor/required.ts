import { judgeRepositoryFile } from "../../command/parse-repository-file.ts";
import { withoutOwnCheck } from "../../engine/model/checks/required-checks.ts";
import type { DoctorFacts, NamedCheck } from "../../ports/code-host/doctor-facts.ts";
import type { DoctorContext } from "./finding.ts";

type RequiringFacts = Pick<DoctorFacts, "required" | "repositoryFile">;

/**
 * The checks that must pass on test branches, and the source of that list; null when the repository file is
 * invalid.
 */
export function requiredOf(
  { required, repositoryFile }: RequiringFacts,
  { branch, requiredStatuses }: DoctorContext,
): { readonly checks: readonly NamedCheck[]; readonly source: string } | null {
  const named = (names: readonly string[]) => names.map((name) => ({ name, appId: null }));
  if (requiredStatuses)
    return {
      checks: withoutOwnCheck(named(requiredStatuses), branch),
      source: "the queue's requiredStatuses",
    };
  const parsed = judgeRepositoryFile(repositoryFile);
  if (!parsed.ok) return null;
  const inFile = parsed.file.requiredStatuses;
  if (inFile) return { checks: withoutOwnCheck(named(inFile), branch), source: ".github/trainyard.yml" };
  return { checks: required.others, source: "the branch's rules" };
}
