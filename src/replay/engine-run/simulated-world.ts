import type { EventOf } from "../../engine/model/event.ts";
import type { MergeAttempt, MergedStep, MergeOutcome, MergeStep } from "../../engine/model/merge-attempt.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { Roster } from "../workload/roster.ts";
import { Truth } from "../workload/truth.ts";
import { Ci, type CiRun, Ledger } from "./ci.ts";
import { Judge } from "./judge.ts";

import { Repository } from "./repository.ts";

/** The world that the queue acts on: the repository, CI, and the truth about both. Times are minutes. */
export class SimulatedWorld {
  readonly repository = new Repository();
  readonly truth: Truth;
  readonly ledger: Ledger;
  readonly judge: Judge;
  readonly ci: Ci;
  readonly #roster: Roster;

  /** @param beginRun called with each run and its duration when a worker takes it */
  constructor(roster: Roster, beginRun: (run: CiRun, number: number, minutes: number) => void) {
    const { workers, scope, timedBy = scope } = roster.workload.settings;
    this.#roster = roster;
    this.truth = new Truth(roster);
    this.ledger = new Ledger(roster);
    this.judge = new Judge(roster, this.truth);
    this.ci = new Ci(workers, (run) => {
      this.ledger.start(run.tree);
      const number = this.ledger.runs;
      const timed = timedBy === "tree" ? run.tree : run.members;
      const minutes = run.composition.ofBase ? roster.usualMinutes : roster.longestMinutes(timed);
      beginRun(run, number, minutes * this.truth.durationFactor(number));
    });
  }

  /** Converts a run to the form that CI sees. */
  runOf({ run }: EventOf<"run_started" | "base_test_started">): CiRun {
    const baseSize = this.repository.sizeAt(run.base);
    if (run.ofBase) return { id: run.id, composition: run, tree: [], members: [], baseSize };
    const members = run.members.map((pr) => this.#roster.indexOf(pr));
    const tree = [...run.ahead.map((pr) => this.#roster.indexOf(pr)), ...members];
    return { id: run.id, composition: run, tree, members, baseSize };
  }

  /** Ends a run, and returns whether it passed. */
  endRun(run: CiRun, number: number, now: number): boolean {
    this.ci.release(run.id, now);
    const isGood = this.truth.passes(run.tree, run.baseSize);
    const flaked = isGood && this.truth.flakes(number, now);
    const passed = isGood && !flaked;
    const { scope } = this.#roster.workload.settings;
    if (run.composition.ofBase) return passed;
    if (passed) this.judge.pass(run, scope === "tree" ? run.tree : run.members);
    else this.judge.fail(run, flaked);
    return passed;
  }

  /** Performs a merge as the code host would: step by step, until a result differs from the tested tree. */
  merge(attempt: MergeAttempt, mode: QueueSettings["mode"], now: number): MergeOutcome {
    const { tip } = this.repository;
    this.judge.checkBase(attempt.base, tip);
    if (attempt.base !== tip) return { merged: [], stop: { kind: "base_moved", actual: tip } };
    const merged: MergedStep[] = [];
    for (const step of attempt.steps) {
      const index = this.#roster.indexOf(step.pr);
      this.judge.checkMerge(index, step, mode);
      if (this.truth.merge(index, now)) this.#breakBase(index);
      this.ledger.end(index, "merged", now);
      const done = this.repository.merge(step, attempt);
      // No test has seen the tree that a composed step creates.
      if (!attempt.composed && done.treeSha !== step.treeSha) {
        this.judge.checkTree(step.pr, step.treeSha, done.treeSha);
        return { merged, stop: mismatch(step, done) };
      }
      merged.push(done);
    }
    return { merged, stop: null };
  }

  #breakBase(index: number): void {
    this.ledger.broken++;
    this.judge.breakBase(index);
  }

  /** Ends an entry that failed. Returns whether its author will submit it again, because it is good. */
  reject(index: number, now: number): boolean {
    if (this.truth.isBad(index)) {
      this.ledger.end(index, "rejected", now);
      return false;
    }
    this.ledger.rejectFalsely(index);
    return true;
  }
}

function mismatch({ pr, treeSha }: MergeStep, done: MergedStep): MergeOutcome["stop"] {
  return {
    kind: "tree_mismatch",
    mismatch: {
      code: "TREE_MISMATCH",
      pr,
      sha: done.sha,
      expectedTree: treeSha,
      actualTree: done.treeSha,
    },
  };
}
