import type {
  MergeAttempt,
  MergedStep,
  MergeOutcome,
  MergeStep,
  MergeStop,
} from "../../../src/engine/model/merge-attempt.ts";
import { OrderedWork } from "./ordered-work.ts";
import { isOneCall, lookOnceMore } from "./rules/command-rules.ts";

/** Performs the merges that a queue orders. Before each call it checks that they are still ordered. */
export class OrderedMerges extends OrderedWork {
  /** Merges at most `limit` steps. Then applies `stop`, if there is one. */
  protected carryOut(limit: number, stop: MergeOutcome["stop"]): void {
    const attempt = this.queue.state.merge;
    if (!attempt || attempt.id !== this.merge) return;
    this.merge = null;
    // Like a service, which first reads whether an earlier call did anything.
    if (this.requires && attempt.called)
      this.observe({ type: "merge_not_done", attemptId: attempt.id, steps: 0 });
    const merged: MergedStep[] = [];
    let expected = attempt.base;
    const end = (why: MergeOutcome["stop"]) => {
      this.observe({ type: "merge_concluded", attemptId: attempt.id, outcome: { merged, stop: why } });
      if (why?.kind === "withdrawn") this.judge.checkWithdrawn(this.queue.state, why.pullRequest.number);
    };
    let called = 0;
    for (const [index, step] of attempt.steps.entries()) {
      const { headSha, state, draft } = this.host.pullRequest(step.pr);
      if (merged.length >= limit) {
        if (stop?.kind === "tree_mismatch") return end(this.mergeWrongly(step, attempt));
        if (stop?.kind !== "base_moved") return end(stop);
        this.host.moveBase();
      }
      if (this.host.tip !== expected) return end({ kind: "base_moved", actual: this.host.tip });
      if (index >= called) {
        const { holding, withdrawn } = this.lookOnceMore(attempt, index);
        if (holding === 0 && withdrawn) return end({ kind: "withdrawn", pullRequest: withdrawn });
        called = isOneCall(attempt) ? index + holding : index + 1;
        if (!this.call(attempt.id, called)) return end(null);
      }
      if (headSha !== step.headSha) return end({ kind: "head_changed" });
      if (state !== "open" || draft) return end({ kind: "refused", message: `it is ${state}` });
      this.judge.checkMerge(step, attempt, this.queue.state.settings.mode);
      this.judge.checkRequired(step, attempt, this.queue.state);
      const done = this.host.merge(step, attempt);
      this.judge.checkTree(step, done.treeSha, attempt.composed);
      expected = done.sha;
      merged.push(done);
    }
    end(null);
  }

  /** Simulates a merge call without effect. Sometimes the queue learns of that before the next call. */
  protected callInVain(): void {
    const attempt = this.queue.state.merge;
    if (!attempt || attempt.id !== this.merge || this.host.tip !== attempt.base) return;
    if (attempt.called) return this.observe({ type: "merge_not_done", attemptId: attempt.id, steps: 0 });
    const { holding } = this.lookOnceMore(attempt, 0);
    if (holding > 0) this.call(attempt.id, isOneCall(attempt) ? holding : 1);
  }

  /** Reads the pull requests of the next call just before that call. */
  protected lookOnceMore(attempt: MergeAttempt, index: number) {
    const rest = attempt.steps.slice(index);
    const { runId } = rest[0] ?? {};
    return lookOnceMore(this.host, isOneCall(attempt) ? rest : rest.filter((step) => step.runId === runId));
  }

  /** Asks the queue for permission to merge the first steps. */
  protected call(attemptId: string, steps: number): boolean {
    this.showRequirements();
    this.observe({ type: "merge_calling", attemptId, steps });
    const { merge } = this.queue.state;
    return merge?.id === attemptId && (merge.called ?? 0) >= steps;
  }

  /** Simulates a change of the base at the moment of the merge. */
  protected mergeWrongly(step: MergeStep, attempt: MergeAttempt): MergeStop | null {
    const { headSha, state, draft } = this.host.pullRequest(step.pr);
    if (this.host.tip !== attempt.base) return { kind: "base_moved", actual: this.host.tip };
    const { holding, withdrawn } = this.lookOnceMore(attempt, 0);
    if (holding === 0 && withdrawn) return { kind: "withdrawn", pullRequest: withdrawn };
    this.call(attempt.id, isOneCall(attempt) ? holding : 1);
    if (headSha !== step.headSha || state !== "open" || draft) return { kind: "head_changed" };
    this.host.moveBase();
    const done = this.host.merge(step, attempt);
    this.judge.mergeUntested(step);
    return mismatch(step.pr, done.sha, step.treeSha, done.treeSha);
  }
}

export function mismatch(pr: number, sha: string, expectedTree: string, actualTree: string): MergeStop {
  return {
    kind: "tree_mismatch",
    mismatch: { code: "TREE_MISMATCH", pr, sha, expectedTree, actualTree },
  };
}
