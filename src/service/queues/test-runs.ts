import { mostNamedTargets } from "../../engine/model/targets.ts";
import { isActive, testedSha } from "../../engine/model/test-run.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { NamedTargets } from "../../store/queue/target-store.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { accepted, type Outcome, refused } from "../runtime/outcome.ts";
import { recordOf } from "../runtime/record-runs.ts";

export interface DetailedRun {
  readonly record: RunRecord;
  /**
   * The first names and the total number of targets, where a target counts once for each pull request. Null
   * when nothing was uploaded.
   */
  readonly impacted: NamedTargets | null;
}

/** Reads test runs, with the latest known state of their checks. */
export class TestRuns {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /** The runs in progress, oldest first. */
  async active(queue: QueueRecord): Promise<readonly RunRecord[]> {
    const state = await this.#context.runtime.state(queue.id);
    const active = [...state.runs.values()].filter(isActive);
    return active.flatMap(({ id }) => recordOf(state, id) ?? []).map((run) => this.#withTold(queue, run));
  }

  async find(queue: QueueRecord, runId: string): Promise<Outcome<DetailedRun>> {
    const record = await this.#context.stores.queues.findRun(queue.id, runId);
    if (!record) return refused({ code: "TEST_RUN_NOT_FOUND", runId });
    return accepted({
      record: this.#withTold(queue, record),
      impacted: await this.#impacted(queue, record),
    });
  }

  /** The existing ones of these runs, in any order. */
  async some(queue: QueueRecord, runIds: readonly string[]): Promise<readonly RunRecord[]> {
    const records = await this.#context.stores.queues.findRuns(queue.id, [...new Set(runIds)]);
    return records.map((record) => this.#withTold(queue, record));
  }

  async #impacted({ repo }: QueueRecord, { pullRequests }: RunRecord): Promise<NamedTargets | null> {
    const names = new Set<string>();
    let total: number | "ALL" | null = null;
    for (const { pr, headSha } of pullRequests) {
      const named = await this.#context.stores.targets.names(repo, pr, headSha);
      if (!named) continue;
      total = total === "ALL" || named.total === "ALL" ? "ALL" : (total ?? 0) + named.total;
      for (const name of named.names) if (names.size < mostNamedTargets) names.add(name);
    }
    return total === null ? null : { names: [...names], total };
  }

  /** A decided run shows the checks that decided it. */
  #withTold({ repo }: QueueRecord, record: RunRecord): RunRecord {
    const { run, status } = record;
    const sha = testedSha(run);
    if (status !== "in_progress" || sha === null) return record;
    return { ...record, run: { ...run, checks: this.#context.webhookChecks.addTo(repo, sha, run.checks) } };
  }
}
