import type { TestPullRequest } from "../../ports/code-host/pull-requests.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/**
 * Opens a pull request for a test branch: a draft, or a normal one if the plan has no drafts (422). A pull request that is open
 * already stays. If none can be created (another 422), there is only the pushed branch. Returns whether there is a pull request.
 * https://docs.github.com/en/rest/pulls/pulls#create-a-pull-request
 */
export async function openTestPullRequest(
  { octokit, at }: RepositoryApi,
  pull: TestPullRequest,
): Promise<boolean> {
  for (const draft of [true, false]) {
    try {
      await octokit.rest.pulls.create({ ...at, ...pull, draft });
      return true;
    } catch (error) {
      if (statusOf(error) !== 422) throw error;
      const said = error instanceof Error ? error.message : "";
      if (/already exists/.test(said)) return true;
      if (!/draft/i.test(said)) return false;
    }
  }
  return false;
}
