import { renderProblems } from "../../command/parse-repository-file.ts";
import { withoutOwnCheck } from "../../engine/model/checks/own-check.ts";
import type { RequiredCheck, RequiredChecksSource } from "../../engine/model/checks/required-checks.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { requiredStatusesSource } from "../runtime/settings-in-force.ts";
import type { RepositoryFiles } from "./repository-files.ts";

export interface Requirements {
  readonly required: readonly RequiredCheck[];
  readonly requiredSource: RequiredChecksSource;
}

/**
 * The checks that must pass on a test branch: the queue's own list, else the repository file's, else those of
 * the branch's protection. Or the reason why the file is invalid.
 *
 * @param fresh nothing may come from an earlier reading
 */
export async function requiredChecksOf(
  state: QueueState,
  repo: InstalledRepository,
  codeHost: CodeHost,
  files: RepositoryFiles,
  fresh = false,
): Promise<Requirements | { readonly invalid: string }> {
  const { requiredStatuses } = state.settings;
  if (requiredStatuses !== null) {
    const required = checksOf(requiredStatuses, state.branch);
    return { required, requiredSource: "merge_instance" };
  }
  const parsed = await files.read(repo, state.branch, fresh);
  if (!parsed.ok) return { invalid: `${parsed.path}: ${renderProblems(parsed.problems)}` };
  const named = parsed.file.requiredStatuses;
  const required = named
    ? checksOf(named, state.branch)
    : await codeHost.requiredChecks(repo, state.branch, fresh);
  return { required, requiredSource: requiredStatusesSource(state.settings, parsed.file) };
}

const checksOf = (names: readonly string[], branch: string): RequiredCheck[] =>
  withoutOwnCheck(
    names.map((name) => ({ name, appId: null })),
    branch,
  );
