import { currentChecks } from "../../engine/model/checks/run-checks.ts";
import type { TestRun } from "../../engine/model/test-run.ts";
import type { FailureAnnotation } from "../../ports/code-host/checks.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";
import { type Directory, installed, type QueueAddress } from "../runtime/directory.ts";
import { messageOf } from "../workers/retry.ts";

/** Each costs a call, once in the life of a process. */
const mostChecks = 3;
const mostKept = 500;
/** How long a page waits for the code host. The next ones do not wait for the same call. */
const patienceMs = 1_000;
/** After a failure, the code host is not asked again for this time. */
const failedMs = 60_000;

/** What a failed check says; `annotations` is null while the code host has not answered. */
export interface CheckFailures {
  readonly runId: string;
  readonly check: string;
  readonly annotations: readonly FailureAnnotation[] | null;
}

/** Reads what failed checks say at the code host when somebody wants to see it. An ended check run does not change, so it is read once. */
export class FailureAnnotations {
  readonly #directory: Directory;
  readonly #log: Logger;
  readonly #told = new Map<number, Promise<CheckFailures["annotations"]>>();

  constructor(directory: Directory, log: Logger) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Returns what the first failed checks of test runs say. */
  async read(queue: QueueAddress, runs: readonly TestRun[]): Promise<readonly CheckFailures[]> {
    const found = await this.#directory.find(queue);
    if (!found.ok) return [];
    const failed = runs.flatMap((run) =>
      currentChecks(run, run.checks)
        .filter(({ kind, conclusion }) => kind === "check_run" && conclusion === "failure")
        .map(({ id, name }) => ({ runId: run.id, check: name, id })),
    );
    return Promise.all(
      failed.slice(0, mostChecks).map(async ({ id, ...check }) => {
        const told = this.#told.get(id) ?? this.#ask(installed(found.value), id);
        return { ...check, annotations: await told };
      }),
    );
  }

  #ask(repo: ReturnType<typeof installed>, id: number): Promise<CheckFailures["annotations"]> {
    const read = this.#directory.codeHost.readAnnotations(repo, id);
    const late = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref());
    const inTime = Promise.race([read, late]).catch(() => null);
    if (this.#told.size >= mostKept) this.#told.clear();
    this.#told.set(id, inTime);
    read.then(
      () => this.#told.set(id, read),
      (error: unknown) => {
        this.#log.warn({ err: error, checkRunId: id }, `could not read annotations: ${messageOf(error)}`);
        setTimeout(() => this.#told.delete(id), failedMs).unref();
      },
    );
    return inTime;
  }
}
