import { evaluateChecks } from "../../engine/model/checks/required-checks.ts";
import type { HeadExamination } from "../../engine/model/merge-attempt.ts";
import { baseTip, type QueueState } from "../../engine/model/queue.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { OutboxRow, Task } from "../../store/leased/outbox.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { requiredChecksOf } from "../observation/required-checks.ts";
import { installed } from "../runtime/directory.ts";
import { isCodeHostFailure } from "../workers/retry.ts";
import type { TaskResult } from "./task-executor.ts";

/** The number of quick attempts. After them, the pull request is tested like any other. */
const quickTries = 3;

/**
 * Determines whether a head can merge without a test run, and reports that to the engine. Everything is read now, except the list of
 * required checks, which may come from a recent reading.
 */
export class HeadExaminer {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  async examine(
    { queueId, pr }: Extract<Task, { type: "examine_head" }>,
    row: OutboxRow,
  ): Promise<TaskResult> {
    const state = await this.#context.runtime.state(queueId);
    const entry = state.entries.get(pr);
    if (entry?.directOnto === undefined) return "done";
    const repo = installed(await this.#context.directory.get(queueId));
    const { headSha, directOnto: base } = entry;
    const outcome = await this.#outcome(repo, state, headSha, base, row.failures);
    await this.#context.runtime.dispatch(
      queueId,
      { type: "head_examined", pr, headSha, base, outcome },
      { settles: row },
    );
    return "settled";
  }

  async #outcome(
    repo: InstalledRepository,
    state: QueueState,
    headSha: string,
    base: string,
    failures: number,
  ): Promise<HeadExamination> {
    try {
      return await this.#look(repo, state, headSha, base);
    } catch (error) {
      if (!isCodeHostFailure(error)) throw error;
      const isTransient = ["unavailable", "busy", "rate_limited"].includes(error.kind);
      if (isTransient && failures < quickTries) throw error;
      return { kind: "obstacle", obstacle: "UNREADABLE" };
    }
  }

  /** Reads the base last, so that the examination of the head is valid for the base at that time. */
  async #look(
    repo: InstalledRepository,
    state: QueueState,
    headSha: string,
    base: string,
  ): Promise<HeadExamination> {
    const { codeHost } = this.#context.directory;
    const { aheadBy, behindBy, treeSha } = await codeHost.compareHead(repo, base, headSha);
    if (behindBy > 0 || aheadBy === 0) return { kind: "obstacle", obstacle: "NOT_UP_TO_DATE" };
    const checksOf = await requiredChecksOf(state, repo, codeHost, this.#context.files);
    if ("invalid" in checksOf) return { kind: "obstacle", obstacle: "UNREADABLE" };
    const { required } = checksOf;
    if (required.length === 0) return { kind: "obstacle", obstacle: "NO_REQUIRED_CHECKS" };
    const { checks } = await codeHost.readChecks(repo, headSha, required);
    const { verdict } = evaluateChecks(required, checks);
    if (verdict !== "passed") return { kind: "obstacle", obstacle: "CHECKS_NOT_PASSED" };
    const tip = await codeHost.branchTip(repo, state.branch);
    if (tip !== base || tip !== baseTip(state)) return { kind: "obstacle", obstacle: "OVERTAKEN" };
    return { kind: "passed", treeSha, required };
  }
}
