import { expect } from "@jest/globals";
import type { QueueSettings } from "../../src/engine/settings.ts";
import { isActive, type TestRun } from "../../src/engine/test-run.ts";
import { check, QueueHarness } from "./queue-harness.ts";

export interface Truth {
  readonly concurrency: number;
  readonly method: QueueSettings["mergeMethod"];
  /** Fail by themselves. */
  readonly broken: readonly number[];
  /** Pass alone and fail together. */
  readonly clashes: readonly (readonly [number, number])[];
  /** Cannot be merged onto each other. */
  readonly conflicts: readonly (readonly [number, number])[];
}

type Step =
  | "submit"
  | "build"
  | "report"
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

  constructor(truth: Truth) {
    this.#truth = truth;
    this.queue = new QueueHarness({ concurrency: truth.concurrency, mergeMethod: truth.method });
  }

  step(what: Step, choice: number): void {
    const { queue } = this;
    switch (what) {
      case "submit":
        if (!this.#merged.includes(choice)) queue.submit(choice, { headSha: this.#head(choice) });
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
      case "merge":
        return this.#merge();
      case "cancel":
        queue.cancel(choice);
        return;
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
      for (const what of ["build", "report", "merge"] as const) this.step(what, i);
    }
  }

  /** The invariants that hold after every step. */
  check(): void {
    const { state } = this.queue;
    const runs = [...state.runs.values()];
    expect(runs.filter(isActive).length).toBeLessThanOrEqual(this.#truth.concurrency);
    expect(new Set(state.line).size).toBe(state.line.length);
    expect(new Set(this.#merged).size).toBe(this.#merged.length);
    expect(state.base.at(-1)?.sha).toBe(this.#tip);
    for (const entry of state.entries.values()) {
      const isInLine = state.line.includes(entry.pr);
      expect([entry.pr, isInLine]).toEqual([entry.pr, entry.runId !== null]);
      if (entry.state === "testing" || entry.state === "tests_passed") expect(isInLine).toBe(true);
    }
  }

  #build(run: TestRun | undefined): void {
    const [pr] = run?.members ?? [];
    if (!run || pr === undefined) return;
    const stack = [...this.#merged, ...run.ahead.filter((other) => !this.#merged.includes(other))];
    if (!this.#isCurrent(run)) return this.queue.built(pr);
    if (this.#truth.conflicts.some((pair) => isPair(pair, pr, stack))) {
      return this.queue.buildEnds(pr, { kind: "conflict", pr });
    }
    this.queue.built(pr);
  }

  #report(run: TestRun | undefined): void {
    const [pr] = run?.members ?? [];
    if (!run || pr === undefined) return;
    const green = this.#isGreen([...new Set([...this.#merged, ...run.ahead, ...run.members])]);
    this.queue.checks(pr, [check("build", green ? "success" : "failure")]);
    // Nobody fails who does not fail on exactly what is merged.
    if (this.queue.stateOf(pr) === "failed") expect(this.#isGreen([...this.#merged, pr])).toBe(false);
  }

  #merge(): void {
    const { merge } = this.queue.state;
    if (!merge) return;
    expect(merge.base).toBe(this.#tip);
    const pushed = merge.steps.findIndex((step) => this.#head(step.pr) !== step.headSha);
    const steps = merge.steps.slice(0, pushed < 0 ? merge.steps.length : pushed);
    const merged = steps.map(({ pr, treeSha, commitSha }) => {
      this.#merged.push(pr);
      // Every tip that the queue writes is green.
      expect(this.#isGreen(this.#merged)).toBe(true);
      this.#tip = merge.method === "merge_commit" ? commitSha : `landed-${pr}`;
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

  #isCurrent(run: TestRun): boolean {
    return run.members.every((pr) => this.queue.state.entries.get(pr)?.runId === run.id);
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
