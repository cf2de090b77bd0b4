import { expect } from "@jest/globals";
import type { QueueSettings } from "../../src/engine/settings.ts";
import type { Targets } from "../../src/engine/targets.ts";
import { isActive, type TestRun } from "../../src/engine/test-run.ts";
import { QueueHarness } from "./queue-harness.ts";

export interface Truth {
  readonly settings: Partial<QueueSettings> & Pick<QueueSettings, "concurrency" | "bisectionConcurrency">;
  /** Fail by themselves. */
  readonly broken: readonly number[];
  /** Pass alone and fail together. */
  readonly clashes: readonly (readonly [number, number])[];
  /** Cannot be merged onto each other. */
  readonly conflicts: readonly (readonly [number, number])[];
  /** What pull requests impact, besides what they clash and conflict on; absent = nothing. */
  readonly targets: Readonly<Record<number, Targets>>;
}

type Step =
  | "submit"
  | "submitUrgent"
  | "submitAlone"
  | "outage"
  | "breakCi"
  | "retarget"
  | "toggleBatch"
  | "toggleOptimism"
  | "toggleDepth"
  | "build"
  | "report"
  | "examine"
  | "merge"
  | "cancel"
  | "restart"
  | "push"
  | "moveBase"
  | "pause"
  | "resume"
  | "repeat";

/** A queue in a world that knows the truth about every pull request, and judges what the queue does. */
export class World {
  readonly queue: QueueHarness;
  readonly #truth: Truth;
  /** What the base really contains, in order. */
  readonly #merged: number[] = [];
  readonly #heads = new Map<number, number>();
  #tip = "base-0";
  #outside = 0;
  readonly #retargeted = new Set<number>();

  constructor(truth: Truth) {
    this.#truth = truth;
    this.queue = new QueueHarness(truth.settings);
    this.queue.targets = (pr) => this.#targets(pr);
  }

  step(what: Step, choice: number): void {
    const { queue } = this;
    switch (what) {
      case "submit":
        if (!this.#merged.includes(choice)) queue.submit(choice, { headSha: this.#head(choice) });
        return;
      case "submitUrgent":
        if (!this.#merged.includes(choice)) queue.submit(choice, { headSha: this.#head(choice) }, 0);
        return;
      case "submitAlone":
        if (!this.#merged.includes(choice)) queue.submitAlone(choice, { headSha: this.#head(choice) });
        return;
      case "outage": {
        const run = pick(
          [...queue.state.runs.values()].filter((other) => other.state === "building"),
          choice,
        );
        if (run) queue.buildOfRunEnds(run, { kind: "infrastructure_error", message: "out of order" });
        return;
      }
      case "breakCi": {
        const run = pick(
          [...queue.state.runs.values()].filter((other) => other.state === "running"),
          choice,
        );
        if (run) queue.runEnds(run, "cancelled");
        return;
      }
      case "toggleBatch":
        queue.configure({ batch: !queue.state.settings.batch });
        return;
      case "toggleOptimism":
        queue.configure({ canOptimisticallyMerge: !queue.state.settings.canOptimisticallyMerge });
        return;
      case "toggleDepth":
        queue.configure({ pendingFailureDepth: queue.state.settings.pendingFailureDepth === 0 ? 2 : 0 });
        return;
      case "build":
        return this.#build(
          pick(
            [...queue.state.runs.values()].filter((run) => run.state === "building"),
            choice,
          ),
        );
      case "report":
        return this.#report(
          pick(
            [...queue.state.runs.values()].filter((run) => run.state === "running"),
            choice,
          ),
        );
      case "examine":
        return this.#examine([...queue.state.direct.values()][0], choice);
      case "merge":
        return this.#merge();
      case "cancel":
        queue.cancel(choice);
        return;
      case "retarget":
        this.#retargeted.add(choice);
        return void queue.take({
          type: "targets_observed",
          pr: choice,
          headSha: this.#head(choice),
          targets: this.#targets(choice),
        });
      case "restart":
        queue.restart(choice);
        return;
      case "push":
        this.#heads.set(choice, (this.#heads.get(choice) ?? 0) + 1);
        return queue.observe(choice, { headSha: this.#head(choice) });
      case "moveBase":
        if (queue.state.merge) return;
        this.#tip = `outside-${++this.#outside}`;
        return queue.baseMovesTo(this.#tip);
      case "pause":
        queue.configure({ status: "paused" });
        return;
      case "resume":
        queue.configure({ status: "running" });
        return;
      case "repeat":
        // Late and repeated observations change nothing.
        queue.take({ type: "merge_concluded", attemptId: "gone", outcome: { merged: [], stop: null } });
        queue.take({ type: "checks_observed", runId: "gone", checks: [] });
        queue.take({ type: "base_observed", sha: "base-0", asOfSeq: 0 });
        return;
    }
  }

  /** Lets everything that is under way come to its end. */
  finish(): void {
    this.step("resume", 0);
    for (let i = 0; i < 2_000 && this.queue.state.entries.size > 0; i++) {
      for (const what of ["build", "report", "examine", "merge"] as const) this.step(what, i);
      if (this.#isIdle()) this.queue.passesTime(5);
    }
  }

  /** The invariants that hold after every step. */
  check(): void {
    const { state } = this.queue;
    const runs = [...state.runs.values()];
    const { concurrency, bisectionConcurrency } = this.#truth.settings;
    const active = (kind: TestRun["kind"]) => runs.filter((run) => run.kind === kind && isActive(run)).length;
    expect(active("main")).toBeLessThanOrEqual(concurrency);
    expect(active("bisection")).toBeLessThanOrEqual(bisectionConcurrency);
    const sizes = runs.map((run) => run.members.length);
    expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(state.settings.batchingMinSize);
    expect(new Set(state.line).size).toBe(state.line.length);
    expect(new Set(this.#merged).size).toBe(this.#merged.length);
    expect(state.base.at(-1)?.sha).toBe(this.#tip);
    for (const entry of state.entries.values()) {
      const isInLine = state.line.includes(entry.pr);
      expect([entry.pr, isInLine]).toEqual([entry.pr, entry.runId !== null || entry.bisectionId !== null]);
      if (entry.state === "testing" || entry.state === "tests_passed") expect(isInLine).toBe(true);
    }
  }

  #build(run: TestRun | undefined): void {
    if (!run) return;
    const stack = [...this.#merged, ...run.ahead.filter((other) => !this.#merged.includes(other))];
    for (const pr of run.members) {
      if (this.#truth.conflicts.some((pair) => isPair(pair, pr, stack))) {
        return this.queue.buildOfRunEnds(run, { kind: "conflict", pr });
      }
      stack.push(pr);
    }
    this.queue.runBuilt(run);
  }

  #report(run: TestRun | undefined): void {
    if (!run) return;
    const { state } = this.queue;
    const live = [...state.entries.values()].map(({ pr }) => pr);
    const green = this.#isGreen([...new Set([...this.#merged, ...run.ahead, ...run.members])]);
    this.queue.runEnds(run, green ? "success" : "failure");
    // Nobody fails who does not fail on exactly what is merged, or has passed and will be.
    const passed = this.queue.state.line.filter((pr) => this.queue.stateOf(pr) === "tests_passed");
    for (const pr of live) {
      if (this.queue.stateOf(pr) !== "failed" || this.queue.reasonOf(pr) !== "CHECKS_FAILED") continue;
      expect(this.#isGreen([...this.#merged, ...passed, pr])).toBe(false);
    }
  }

  /** Every other head turns out to be up to date and green, if it can be. */
  #examine(pr: number | undefined, choice: number): void {
    const entry = this.queue.state.entries.get(pr ?? 0);
    if (!entry?.directOnto) return;
    const conflicts = this.#truth.conflicts.some((pair) => isPair(pair, entry.pr, this.#merged));
    const passed = choice % 2 === 0 && !conflicts && this.#isGreen([...this.#merged, entry.pr]);
    this.queue.take({
      type: "head_examined",
      pr: entry.pr,
      headSha: entry.headSha,
      base: entry.directOnto,
      outcome: passed
        ? { kind: "passed", treeSha: `tree(${entry.headSha})` }
        : { kind: "obstacle", obstacle: "NOT_UP_TO_DATE" },
    });
  }

  #merge(): void {
    const { merge } = this.queue.state;
    if (!merge) return;
    expect(merge.base).toBe(this.#tip);
    const pushed = merge.steps.findIndex((step) => this.#head(step.pr) !== step.headSha);
    const steps = merge.steps.slice(0, pushed < 0 ? merge.steps.length : pushed);
    const [first] = steps;
    const clashing = first && this.#truth.conflicts.some((pair) => isPair(pair, first.pr, this.#merged));
    // What is composed has not been built with what merged meanwhile; targets hide no conflict with that.
    expect(clashing).not.toBe(true);
    const merged = steps.map(({ pr, treeSha, commitSha }) => {
      this.#merged.push(pr);
      // Every tip that the queue writes is green.
      expect(this.#isGreen(this.#merged)).toBe(true);
      this.#tip = merge.method === "merge_commit" && !merge.direct ? commitSha : `landed-${pr}`;
      return { pr, treeSha, sha: this.#tip, proof: "same_tree" as const };
    });
    this.queue.mergeEnds({ merged, stop: pushed < 0 ? null : { kind: "head_changed" } });
  }

  #isGreen(prs: readonly number[]): boolean {
    const { broken, clashes } = this.#truth;
    return (
      !prs.some((pr) => broken.includes(pr)) &&
      !clashes.some(([a, b]) => a !== b && prs.includes(a) && prs.includes(b))
    );
  }

  /** Nothing is under way that would bring the queue on. */
  #isIdle(): boolean {
    const { runs, merge } = this.queue.state;
    return merge === null && ![...runs.values()].some(isActive);
  }

  /** Targets hide no clash and no conflict. */
  #targets(pr: number): Targets {
    const own = this.#truth.targets[pr] ?? [];
    if (own === "ALL") return own;
    const shared = [...this.#truth.clashes, ...this.#truth.conflicts].flatMap((pair, index) =>
      pair.includes(pr) ? [1_000 + index] : [],
    );
    return [...own, ...(this.#retargeted.has(pr) ? [500] : []), ...shared].sort((a, b) => a - b);
  }

  #head(pr: number): string {
    const pushes = this.#heads.get(pr) ?? 0;
    return pushes === 0 ? `head-${pr}` : `head-${pr}-${pushes}`;
  }
}

function isPair([a, b]: readonly [number, number], pr: number, others: readonly number[]): boolean {
  return a !== b && ((a === pr && others.includes(b)) || (b === pr && others.includes(a)));
}

function pick<T>(items: readonly T[], choice: number): T | undefined {
  return items[choice % Math.max(1, items.length)];
}
