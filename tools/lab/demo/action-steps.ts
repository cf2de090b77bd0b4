import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FinishingJob } from "../../sandbox/ci/ci-settings.ts";
import { checkOut, jobContext, startAction } from "../../sandbox/runner/start-action.ts";

const action = join(import.meta.dirname, "../../..");

interface UploadStepParts {
  readonly githubUrl: string;
  readonly repository: string;
  /** The job's GitHub token. */
  readonly githubToken: string;
  readonly apiUrl: string;
  /** Has the scope to upload test results. */
  readonly apiToken: string;
  /** The directory of the runner's files. */
  readonly directory: string;
}

/** The outcome of a step. */
export interface StepEnd {
  readonly verdict: string;
  readonly conclusion: "success" | "failure";
}

/** How often a step is attempted while the service is down. */
const attempts = 20;

/**
 * The step of a job in which the Action uploads the test report. It runs as on a runner: the bundled Action, in a separate
 * process.
 */
export class UploadStep {
  readonly #parts: UploadStepParts;

  constructor(parts: UploadStepParts) {
    this.#parts = parts;
  }

  async take(
    job: FinishingJob,
    report: string,
    stepFailed: boolean,
    inputs: Readonly<Record<string, string>> = {},
  ): Promise<StepEnd> {
    const { directory } = this.#parts;
    const { workspace, commit } = await checkOut(job, directory);
    await mkdir(join(workspace, "reports"));
    await writeFile(join(workspace, "reports/junit.xml"), report);
    try {
      for (let left = attempts; ; left -= 1) {
        const end = await this.#run(job, { workspace, commit, stepFailed, inputs });
        if (end.verdict !== "not-judged" || left === 1) return end;
      }
    } finally {
      await rm(workspace, { recursive: true, force: true });
    }
  }

  async #run(
    job: FinishingJob,
    step: {
      readonly workspace: string;
      readonly commit: string;
      readonly stepFailed: boolean;
      readonly inputs: Readonly<Record<string, string>>;
    },
  ): Promise<StepEnd> {
    const { githubUrl, repository, githubToken: token, apiUrl, apiToken, directory } = this.#parts;
    const place = { githubUrl, repository, token, defaultBranch: "main" };
    const { ended, log } = await startAction({
      ...{ action, directory, workspace: step.workspace },
      ...jobContext(job, step.commit, place),
      stop: job.closing,
      inputs: {
        ...{ command: "upload-tests", "api-url": apiUrl, "api-token": apiToken },
        "previous-step-outcome": step.stepFailed ? "failure" : "success",
        "junit-paths": "reports/*.xml",
        ...step.inputs,
      },
    });
    const { exitCode, outputs } = await ended;
    if (outputs.verdict === undefined) throw new Error(`the Action ended with ${exitCode}:\n${log()}`);
    return { verdict: outputs.verdict, conclusion: exitCode === 0 ? "success" : "failure" };
  }
}

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
