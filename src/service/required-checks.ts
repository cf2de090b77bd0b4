import type { QueueState } from "../engine/queue.ts";
import type { RequiredCheck, RequiredChecksSource } from "../engine/required-checks.ts";
import type { CodeHost, InstalledRepository } from "../ports/code-host.ts";

/** What must pass on a test branch: the queue's own list, else what the branch's protection requires. */
export async function requiredChecksOf(
  state: QueueState,
  repo: InstalledRepository,
  codeHost: CodeHost,
): Promise<{ required: readonly RequiredCheck[]; requiredSource: RequiredChecksSource }> {
  const { requiredStatuses } = state.settings;
  if (requiredStatuses !== null) {
    const required = requiredStatuses.map((name) => ({ name, appId: null }));
    return { required, requiredSource: "merge_instance" };
  }
  const required = await codeHost.requiredChecks(repo, state.branch);
  return { required, requiredSource: "repo_provider_branch_protection" };
}
