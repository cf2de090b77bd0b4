import { join } from "node:path";
import { startAction } from "../../../sandbox/runner/start-action.ts";
import type { UploadStepParts } from "./upload-step.ts";

const action = join(import.meta.dirname, "../../../..");

/** How often the step is attempted while the service is down. */
const attempts = 20;

/** Does what the `pull_request` workflow does: the Action posts the impacted targets that a program prints. */
export async function postTargets(
  { number, headSha, workspace }: { number: number; headSha: string; workspace: string },
  targets: readonly string[],
  { githubUrl, repository, githubToken, apiUrl, apiToken, directory }: UploadStepParts,
): Promise<void> {
  const repo = { full_name: repository };
  for (let left = attempts; ; left -= 1) {
    const { ended, log } = await startAction({
      ...{ action, directory, workspace },
      event: {
        repository: { ...repo, default_branch: "main" },
        pull_request: { number, head: { sha: headSha, repo }, base: { ref: "main", repo } },
      },
      expressions: { "github.token": githubToken, "job.check_run_id": "", "toJSON(matrix)": "null" },
      env: {
        GITHUB_API_URL: `${githubUrl}/api/v3`,
        GITHUB_SERVER_URL: githubUrl,
        GITHUB_REPOSITORY: repository,
        GITHUB_RUN_ID: "1",
      },
      inputs: {
        ...{ command: "impacted-targets", "api-url": apiUrl, "api-token": apiToken },
        ...{ provider: "command", "impact-all-paths": "" },
        "targets-command": `printf '%s\\n' ${targets.join(" ")}`,
      },
    });
    if ((await ended).exitCode === 0) return;
    if (left === 1) throw new Error(`the Action could not post targets:\n${log()}`);
  }
}
