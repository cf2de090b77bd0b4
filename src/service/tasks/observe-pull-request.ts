import type { Clock } from "../../ports/code-host/runtime.ts";
import type { OutboxRow, Task } from "../../ports/outbox.ts";
import { withHeadChecks } from "../observation/head-checks.ts";
import type { PullRequestReadings } from "../observation/pull-request-readings.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import { type Directory, installed } from "../queue/directory.ts";
import type { QueueReach } from "../queue/queue-reach.ts";
import type { QueueRuntime } from "../queue/queue-runtime.ts";
import type { TaskResult } from "./task-executor.ts";

/**
 * The maximum number of readings while GitHub computes mergeability. After that, the reconcile loop takes
 * over.
 */
const maxLooks = 10;

/** Reads a queued pull request again, and reports its current state to the engine. */
export class PullRequestObserver {
  readonly #runtime: QueueRuntime;
  readonly #directory: Directory;
  readonly #files: RepositoryFiles;
  readonly #reach: Pick<QueueReach, "suspect" | "check">;
  readonly #clock: Clock;
  readonly #lookMs: number;
  readonly #readings: Pick<PullRequestReadings, "expectNews">;

  constructor(
    runtime: QueueRuntime,
    directory: Directory,
    files: RepositoryFiles,
    reach: Pick<QueueReach, "suspect" | "check">,
    readings: Pick<PullRequestReadings, "expectNews">,
    clock: Clock,
    lookMs: number,
  ) {
    this.#readings = readings;
    this.#reach = reach;
    this.#runtime = runtime;
    this.#directory = directory;
    this.#files = files;
    this.#clock = clock;
    this.#lookMs = lookMs;
  }

  async observe(
    { queueId, pr }: Extract<Task, { type: "observe_pull_request" }>,
    row: OutboxRow,
  ): Promise<TaskResult> {
    const state = await this.#runtime.state(queueId);
    if (!state.entries.has(pr) && !state.tries.has(pr)) return "done";
    const repo = installed(await this.#directory.get(queueId));
    const { codeHost } = this.#directory;
    const read = await codeHost.readPullRequest(repo, pr);
    if (!read) {
      await this.#reach.suspect(queueId);
      return "done";
    }
    await this.#readings.expectNews(repo, read);
    // If the branch was renamed, the queue must follow first; otherwise this looks like another base. An
    // earlier check of the place would not show the rename.
    if (read.baseBranch !== state.branch) await this.#reach.check(queueId);
    const pullRequest = await withHeadChecks({ codeHost, files: this.#files }, repo, state, read);
    const after = await this.#runtime.dispatch(queueId, { type: "pull_request_observed", pullRequest });
    const unknown =
      pullRequest.mergeability === "in_progress" && after.state.entries.get(pr)?.state === "not_ready";
    if (!unknown || row.attempts >= maxLooks) return "done";
    return { againAt: this.#clock.now() + this.#lookMs * 2 ** Math.min(row.attempts, 5) };
  }
}
