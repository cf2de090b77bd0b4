import { findRun, type RepositoryRef, tryOfRun } from "../../../engine/model/queue.ts";
import type { QueueRecord } from "../../../store/queue/queue-store.ts";
import { pullRequestName } from "../../detection/pull-requests.ts";
import type { TestRepository, TestUploadFacts } from "../../store/uploads/upload-records.ts";
import type { TestContext } from "../test-context.ts";

export interface SaidBranch extends Pick<TestUploadFacts, "kind" | "branch"> {
  /** The base branch of the change; null when not given. */
  readonly baseBranch: string | null;
}

/** The code that an upload tests. */
interface Testing extends Pick<TestUploadFacts, "kind" | "branch" | "pr"> {
  readonly repo: RepositoryRef;
}

/** A pull request in a run of the queue. */
export interface TestedHead {
  readonly pr: number;
  readonly headSha: string;
}

/**
 * Finds the stable branch that an upload's line belongs to. A test may be broken on one stable branch and
 * work on another.
 */
export class BranchLines {
  readonly #context: TestContext;

  constructor(context: TestContext) {
    this.#context = context;
  }

  /** Returns "" when the line is unknown. */
  async lineOf(
    { id, repo }: Pick<TestRepository, "id" | "repo">,
    { kind, branch, baseBranch }: SaidBranch,
  ): Promise<string> {
    if (kind === "stable") return branch;
    if (baseBranch !== null) return baseBranch;
    if (kind === "unknown") return "";
    const queues = await this.#context.directory.ofRepository(repo);
    if (kind === "queue") {
      const found = queues.length === 1 ? queues[0] : await this.#runOn(branch, queues);
      if (found) return found.branch;
    }
    const [only, another] = queues;
    return (await this.#context.stores.testResults.mainLine(id)) ?? (another ? "" : (only?.branch ?? ""));
  }

  /** The names of the pull requests that an upload tests, as far as they are known. */
  async pullRequestsOf({ kind, pr, repo, branch }: Testing): Promise<readonly string[]> {
    if (kind === "pr") return pr === null ? [] : [pullRequestName(pr)];
    const tested = kind === "queue" ? await this.testedOn(repo, branch) : null;
    return (tested ?? []).map((head) => pullRequestName(head.pr));
  }

  /**
   * The pull requests that a test branch contains and that have not merged, those ahead included. Empty for a test of the base alone;
   * null when the run is not live.
   */
  async testedOn(repo: RepositoryRef, testBranch: string): Promise<readonly TestedHead[] | null> {
    const found = await this.#runOn(testBranch, await this.#context.directory.ofRepository(repo));
    if (!found) return null;
    const { state, run } = found;
    if (run.ofBase || run === state.baseTest) return [];
    const tried = tryOfRun(state, run.id);
    if (tried) return [tried];
    // Entries ahead that have merged are part of the stable branch now.
    const ahead = run.ahead.flatMap((pr) => state.entries.get(pr) ?? []);
    const members = run.members.map((pr) => state.entries.get(pr));
    return members.every((entry) => entry !== undefined) ? [...ahead, ...members] : null;
  }

  /** Finds the run of a test branch, whose name ends with the run's id. */
  async #runOn(testBranch: string, queues: readonly Pick<QueueRecord, "id" | "branch">[]) {
    const runId = testBranch.slice(testBranch.lastIndexOf("/") + 1);
    for (const { id, branch } of queues) {
      const state = await this.#context.stateOf(id);
      const run = findRun(state, runId);
      if (run) return { branch, state, run };
    }
    return null;
  }
}
