import {
  type CheckFact,
  evaluateChecks,
  type RequiredCheck,
  type TestEvidence,
} from "../../engine/model/checks/required-checks.ts";
import { checksToPass, currentChecks } from "../../engine/model/checks/run-checks.ts";
import type { Event } from "../../engine/model/event.ts";
import { allRuns, findRun, type QueueState, type RepositoryRef } from "../../engine/model/queue.ts";
import { type TestRun, testedSha } from "../../engine/model/test-run.ts";
import { installed } from "../runtime/directory.ts";
import { observeTask } from "../runtime/plan-tasks.ts";
import { messageOf } from "../workers/retry.ts";
import type { QueueContext } from "./queue-context.ts";

/** A check result on a commit, as a webhook reports it. */
export interface CheckHint {
  readonly repo: RepositoryRef;
  readonly sha: string;
  readonly name: string;
  readonly outcome: "passed" | "failed";
}

/** Returns the hint that a reported check gives; null while the check has no result. */
export function hintOf(repo: RepositoryRef, sha: string, check: CheckFact): CheckHint | null {
  const { name, status, conclusion } = check;
  if (status !== "completed") return null;
  const outcome = conclusion !== null && passing.has(conclusion) ? "passed" : "failed";
  return { repo, sha, name, outcome };
}

const passing: ReadonlySet<string> = new Set(["success", "neutral", "skipped"]);

/** The result of reading a run's checks. */
type Outcome = "ended" | "going_on" | { readonly unread: unknown };

/** The required checks of a commit, and how often failed ones have been re-run. */
export interface DecidedChecks {
  readonly repo: RepositoryRef;
  readonly sha: string;
  readonly required: readonly RequiredCheck[];
  readonly checks: readonly CheckFact[];
  readonly retries: number;
}

/** Explains checks by the test reports on their commit. Null when there are no reports. */
export type ExplainChecks = (decided: DecidedChecks) => Promise<TestEvidence | null>;

/** How long entries wait for more reports on their head before they are read. */
const settleMs = 250;
/**
 * Delays before checks are read again when a webhook reports them as completed and a reading does not:
 * replicas lag.
 */
const rereadMs = [2_000, 6_000];
/** How long a hint from another replica is delayed, because that replica usually reads the checks itself. */
const heardMs = 1_000;
/** The maximum number of commits whose reports are remembered until their run is known. */
const maxRemembered = 2_000;

/**
 * Decides when a run's checks are worth reading: when all required checks have reported, or one of them has
 * failed. The hints themselves decide nothing. Only readings from the code host count.
 */
export class CheckWatcher {
  readonly #context: QueueContext;
  readonly #explain: ExplainChecks;
  readonly #reported = new Map<string, Map<string, CheckHint["outcome"]>>();
  readonly #reading = new Map<string, Promise<Outcome>>();
  readonly #readAgain = new Set<string>();
  /** Runs whose checks are being read again a few times. */
  readonly #rereading = new Set<string>();
  readonly #lastRead = new Map<string, number>();

  constructor(context: QueueContext, explain: ExplainChecks) {
    this.#context = context;
    this.#explain = explain;
    context.runtime.onCommit((_id, events, state, isOwn) => this.#followRuns(events, state, isOwn));
  }

  async hint(hint: CheckHint): Promise<void> {
    this.#remember(hint);
    const { directory, runtime, outbox, clock } = this.#context;
    for (const queue of await directory.ofRepository(hint.repo)) {
      const state = await runtime.state(queue.id);
      const run = [...allRuns(state)].find((other) => testedSha(other) === hint.sha);
      if (run) this.#readIfTelling(state, run);
      const isOfHeads = state.settings.acceptFromHead.includes(hint.name);
      for (const pr of isOfHeads ? state.entries.keys() : state.unready.values()) {
        if (state.entries.get(pr)?.headSha !== hint.sha) continue;
        await outbox.add(observeTask(queue.id, pr, clock.now() + settleMs));
      }
    }
  }

  /** Handles a hint that another replica received. That replica may lack hints that this one has. */
  receive(hint: CheckHint): void {
    this.#remember(hint);
    setTimeout(() => void this.#readHeard(hint), heardMs).unref();
  }

  /** Reads the checks of every running run that was not read for `intervalMs`. Returns how many runs ended as a result. */
  async readOverdue(state: QueueState, intervalMs: number): Promise<number> {
    const before = this.#context.clock.now() - intervalMs;
    const overdue = [...allRuns(state)].filter(
      (run) =>
        run.state === "running" && Math.max(run.builtAt ?? 0, this.#lastRead.get(run.id) ?? 0) < before,
    );
    const learned = await Promise.all(overdue.map((run) => this.#read(state.id, run)));
    return learned.filter((outcome) => outcome === "ended").length;
  }

  /** Reads the checks of a run now, and returns why they could not be read; null when they were. */
  async readNow(queueId: string, run: TestRun): Promise<{ readonly unread: unknown } | null> {
    const outcome = await this.#read(queueId, run, true);
    return typeof outcome === "object" ? outcome : null;
  }

  #remember({ sha, name, outcome }: CheckHint): void {
    const names = this.#reported.get(sha) ?? new Map<string, CheckHint["outcome"]>();
    names.set(name, outcome);
    this.#reported.delete(sha);
    this.#reported.set(sha, names);
    const [oldest] = this.#reported.keys();
    if (this.#reported.size > maxRemembered && oldest !== undefined) this.#reported.delete(oldest);
  }

  async #readHeard({ repo, sha }: CheckHint): Promise<void> {
    const { directory, runtime, log } = this.#context;
    try {
      for (const queue of await directory.ofRepository(repo)) {
        const state = await runtime.state(queue.id);
        const run = [...allRuns(state)].find((other) => testedSha(other) === sha);
        if (run) this.#readIfTelling(state, run);
      }
    } catch (error) {
      log.warn({ err: error, sha }, `could not look up a reported commit: ${messageOf(error)}`);
    }
  }

  /** Runs that another replica built are left to that replica. */
  #followRuns(events: readonly Event[], state: QueueState, isOwn: boolean): void {
    for (const { data } of events) {
      if (data.type === "run_discarded") this.#lastRead.delete(data.runId);
      if (data.type === "try_put_back" || data.type === "try_ended")
        this.#lastRead.delete(data.dropped?.runId ?? "");
      const isBuilt = isOwn && (data.type === "run_built" || data.type === "try_built");
      const run = isBuilt ? findRun(state, data.runId) : undefined;
      if (run) this.#readIfTelling(state, run);
      // A check that has just become required may have reported long ago.
      const changed =
        isOwn && data.type === "run_requirements_changed" ? findRun(state, data.runId) : undefined;
      if (changed?.state === "running") void this.#read(state.id, changed, true);
    }
  }

  #readIfTelling(state: QueueState, run: TestRun): void {
    const reported = this.#reported.get(testedSha(run) ?? "");
    if (run.state !== "running" || !reported) return;
    const required = checksToPass(state, run);
    const failed = required.some(({ name }) => reported.get(name) === "failed");
    const complete = required.every(({ name }) => reported.has(name));
    if (failed || complete) void this.#readUntilTold(state.id, run);
  }

  /**
   * The test reports about decided checks, which arrive before a job ends. Null when the checks are still
   * pending or there are no reports.
   */
  async #evidence(queueId: string, repo: RepositoryRef, run: TestRun, checks: readonly CheckFact[]) {
    const { runtime } = this.#context;
    // The current run: its checks may have been re-run since it was looked up.
    const state = await runtime.state(queueId);
    const now = findRun(state, run.id);
    const sha = testedSha(run);
    if (!now || sha === null) return null;
    const required = checksToPass(state, now);
    const { retried } = now;
    const current = currentChecks(now, checks);
    if (evaluateChecks(required, current).verdict === "pending") return null;
    return await this.#explain({ repo, sha, required, checks: current, retries: retried?.attempt ?? 0 });
  }

  /** Reads a run's checks, and reads them a few more times while the readings lag behind the webhooks. */
  async #readUntilTold(queueId: string, run: TestRun): Promise<void> {
    const { runtime, log } = this.#context;
    const isFirst = !this.#rereading.has(run.id);
    this.#rereading.add(run.id);
    try {
      await this.#read(queueId, run, true);
      for (const pauseMs of isFirst ? rereadMs : []) {
        if (findRun(await runtime.state(queueId), run.id)?.state !== "running") return;
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
        await this.#read(queueId, run, true);
      }
    } catch (error) {
      log.warn({ err: error, runId: run.id }, `could not read checks again: ${messageOf(error)}`);
    } finally {
      if (isFirst) this.#rereading.delete(run.id);
    }
  }

  /**
   * Reads a run's checks, and returns whether the run ended as a result. If a reading is already in progress, returns that one and reads
   * once more after it.
   */
  #read(queueId: string, run: TestRun, fresh = false): Promise<Outcome> {
    const underWay = this.#reading.get(run.id);
    if (underWay) {
      this.#readAgain.add(run.id);
      return underWay;
    }
    const reading = this.#readOnce(queueId, run, fresh).finally(() => {
      this.#reading.delete(run.id);
      if (this.#readAgain.delete(run.id)) void this.#read(queueId, run, true);
    });
    this.#reading.set(run.id, reading);
    return reading;
  }

  async #readOnce(queueId: string, run: TestRun, fresh: boolean): Promise<Outcome> {
    const { directory, runtime, webhookChecks, clock, log } = this.#context;
    const sha = testedSha(run);
    if (sha === null) return "going_on";
    const beganAt = clock.now();
    try {
      const repo = installed(await directory.get(queueId));
      // The required checks may have changed since the run was looked up.
      const { required } = findRun(await runtime.state(queueId), run.id) ?? run;
      const reading = await directory.codeHost.readChecks(repo, sha, required, run.branch, fresh);
      const { checks } = reading;
      this.#lastRead.set(run.id, clock.now());
      const tests = await this.#evidence(queueId, repo, run, checks);
      const observed = {
        type: "checks_observed",
        runId: run.id,
        ...reading,
        ...(tests ? { tests } : {}),
      } as const;
      const { events } = await runtime.dispatch(queueId, observed);
      webhookChecks.forget(repo, sha, checks, beganAt);
      const isEnded = events.some(({ data }) =>
        data.type === "try_ended"
          ? data.dropped?.runId === run.id
          : data.type === "run_concluded" && data.runId === run.id,
      );
      return isEnded ? "ended" : "going_on";
    } catch (error) {
      log.warn(
        { err: error, runId: run.id },
        `could not read checks; the reconcile loop will: ${messageOf(error)}`,
      );
      return { unread: error };
    }
  }
}
