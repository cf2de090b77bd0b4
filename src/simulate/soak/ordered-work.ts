import type { HeadExamination } from "../../engine/direct-merge.ts";
import type { Effect } from "../../engine/effect.ts";
import type { Event } from "../../engine/event.ts";
import type { Observation, TestCommitOutcome } from "../../engine/input.ts";
import type { TestEvidence } from "../../engine/known-flakes.ts";
import type {
  MergeAttempt,
  MergedStep,
  MergeOutcome,
  MergeStep,
  MergeStop,
} from "../../engine/merge-attempt.ts";
import type { CheckFact } from "../../engine/required-checks.ts";
import { TargetSet } from "../../engine/target-set.ts";
import type { Targets } from "../../engine/targets.ts";
import { type StartedRun, testedSha } from "../../engine/test-run.ts";
import type { Decide } from "../engine-run/queue-driver.ts";
import { CodeHost, treeOf } from "./code-host.ts";
import { Judge } from "./judge.ts";
import { isOneCall, lookOnceMore } from "./last-look.ts";
import { QueueUnderSoak } from "./queue-under-soak.ts";
import type { Scenario } from "./scenario.ts";

const onlyFlakes: TestEvidence = { forgiven: [], flaky: [{ name: "build", tests: ["strikes twelve"] }] };

const alice = { kind: "user", name: "alice" } as const;

/** Does what a queue orders, well or badly: the code host and CI. */
export class OrderedWork {
  readonly host: CodeHost;
  readonly judge: Judge;
  readonly queue: QueueUnderSoak;
  protected readonly scenario: Scenario;
  protected readonly heads = new Map<number, string>();
  protected readonly runs = new Map<string, StartedRun>();
  /** What the queue has ordered, and was not done yet. */
  protected readonly builds = new Set<string>();
  protected readonly looks = new Set<number>();
  protected readonly examinations = new Set<string>();
  protected merge: string | null = null;
  /** Runs that CI tests, and what it reported of them last. */
  protected readonly ci = new Set<string>();
  /** Runs whose failed checks are to be begun again, and which retry of theirs it is. */
  protected readonly reruns = new Map<string, number>();
  protected readonly pushed = new Set<string>();
  /** Changed on the code host, and the queue does not know. */
  protected readonly unseen = new Set<number>();
  protected readonly retargeted = new Set<number>();
  protected readBase: Observation | null = null;
  protected readonly past: Observation[] = [];
  protected checkIds = 0;

  constructor(scenario: Scenario, decideWith: Decide) {
    this.scenario = scenario;
    this.host = new CodeHost(scenario);
    this.judge = new Judge(this.host);
    this.queue = new QueueUnderSoak(decideWith, this.judge, (event, effects) => this.react(event, effects));
    this.queue.take({
      type: "create_queue",
      queueId: "queue",
      repo: { host: "github.com", owner: "acme", name: "soaked" },
      branch: "main",
      settings: scenario.settings,
      baseSha: this.host.tip,
      actor: alice,
    });
  }

  /** Every observation is made twice now and then, and may come again much later. */
  protected observe(observation: Observation): void {
    if (this.queue.events % 5 === 0) this.queue.takeTwice(observation);
    else this.queue.take(observation);
    if (
      [
        "test_commit_concluded",
        "checks_observed",
        "merge_calling",
        "merge_not_done",
        "merge_concluded",
        "base_observed",
      ].includes(observation.type)
    )
      this.past.push(observation);
  }

  protected build(n: number, make: (run: StartedRun) => TestCommitOutcome): void {
    const run = this.runs.get(pick(this.builds, n) ?? "");
    if (!run) return;
    this.builds.delete(run.id);
    this.observe({ type: "test_commit_concluded", runId: run.id, outcome: make(run) });
  }

  /** @param known the reports say that only tests failed which are known to be flaky. */
  protected report(n: number, how: "honest" | "partly" | "flaky" | "broken", known = false): void {
    const runId = pick(this.ci, n);
    const run = this.queue.state.runs.get(runId ?? "");
    if (run?.state !== "running") return;
    const content = this.host.contentOf(testedSha(run) ?? "");
    const isGood = this.host.isGreen(content);
    if (how === "partly") {
      const conclusion = n % 2 === 0 || !isGood ? null : "success";
      this.judge.failures.report(run.id, { missing: ["lint"], pending: conclusion ? [] : ["build"] });
      return this.observe({
        type: "checks_observed",
        runId: run.id,
        checks: [this.check("build", conclusion)],
      });
    }
    this.ci.delete(run.id);
    if (how === "broken") {
      // Three of these, and they are believed.
      this.judge.failures.flake(content);
      return this.observe({
        type: "checks_observed",
        runId: run.id,
        checks: [this.check("build", "cancelled")],
      });
    }
    const passed = isGood && how === "honest";
    const isExplained = !passed && (known || this.host.isExcused(content));
    if (passed) this.judge.proofs.pass(run.id, { content, ahead: run.ahead, members: run.members });
    else this.judge.flakes.report(run.id, isExplained);
    if (isExplained) this.judge.failures.report(run.id, { missing: ["build"], pending: [] });
    // A failure that is explained is to blame only if it stands.
    if (isGood && !passed && !isExplained) this.judge.failures.flake(content);
    const checks = [this.check("build", passed ? "success" : "failure"), this.check("lint", "success")];
    const tests = isExplained ? { tests: onlyFlakes } : {};
    this.observe({ type: "checks_observed", runId: run.id, checks, ...tests });
  }

  /** CI begins failed checks again; meanwhile the old ones are still shown, now and then. */
  protected rerun(n: number): void {
    const runId = pick(this.reruns.keys(), n) ?? "";
    const run = this.queue.state.runs.get(runId);
    if (!this.reruns.delete(runId) || run?.state !== "running") return;
    if (n % 3 === 0) this.queue.echo({ type: "checks_observed", runId, checks: run.checks });
    if (this.queue.state.runs.get(runId)?.state === "running") this.ci.add(runId);
  }

  /** They cannot be begun again, and the queue is told so, perhaps too late. */
  protected refuseRerun(n: number): void {
    const runId = pick(this.reruns.keys(), n) ?? "";
    const attempt = this.reruns.get(runId);
    if (attempt === undefined) return;
    this.reruns.delete(runId);
    this.judge.flakes.refuse(runId);
    this.observe({ type: "retry_refused", runId, attempt, message: "not allowed" });
  }

  /** CI never reports what is missing of a run; it has to time out. */
  protected silence(n: number): void {
    this.ci.delete(pick(this.ci, n) ?? "");
  }

  protected check(name: string, conclusion: string | null): CheckFact {
    const status = conclusion === null ? "in_progress" : "completed";
    const id = ++this.checkIds;
    return { kind: "check_run", name, appId: null, suiteId: 1, id, status, conclusion, url: null };
  }

  /** Looks at a head that may merge without a test run. */
  protected examine(n: number): void {
    const key = pick(this.examinations, n) ?? "";
    const [pr, headSha, base] = JSON.parse(key || "[0]");
    if (!this.examinations.delete(key)) return;
    const content = this.host.headContent(headSha);
    const isUpToDate = treeOf(content) === treeOf([...this.host.contentOf(base), headSha]);
    const passed = isUpToDate && this.host.isGreen(content) && n % 5 > 0;
    if (passed) this.judge.proofs.pass(headSha, { content, ahead: [], members: [pr] });
    const obstacle = isUpToDate ? "CHECKS_NOT_PASSED" : "NOT_UP_TO_DATE";
    const outcome: HeadExamination = passed
      ? { kind: "passed", treeSha: treeOf(content) }
      : { kind: "obstacle", obstacle };
    this.observe({ type: "head_examined", pr, headSha, base, outcome });
  }

  /** Merges as many steps as it is let; then comes what stops it, if anything does. */
  protected carryOut(limit: number, stop: MergeOutcome["stop"]): void {
    const attempt = this.queue.state.merge;
    if (!attempt || attempt.id !== this.merge) return;
    this.merge = null;
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
      const done = this.host.merge(step, attempt);
      this.judge.checkTree(step, done.treeSha, attempt.composed);
      expected = done.sha;
      merged.push(done);
    }
    end(null);
  }

  /** GitHub is asked and did nothing, which is known now and then before it is asked again. */
  protected callInVain(): void {
    const attempt = this.queue.state.merge;
    if (!attempt || attempt.id !== this.merge || this.host.tip !== attempt.base) return;
    if (attempt.called) return this.observe({ type: "merge_not_done", attemptId: attempt.id, steps: 0 });
    const { holding } = this.lookOnceMore(attempt, 0);
    if (holding > 0) this.call(attempt.id, isOneCall(attempt) ? holding : 1);
  }

  /** The pull requests of the next call, as they are in the last moment before it. */
  protected lookOnceMore(attempt: MergeAttempt, index: number) {
    const rest = attempt.steps.slice(index);
    const { runId } = rest[0] ?? {};
    return lookOnceMore(this.host, isOneCall(attempt) ? rest : rest.filter((step) => step.runId === runId));
  }

  /** Asks for leave to merge the first steps. */
  protected call(attemptId: string, steps: number): boolean {
    this.observe({ type: "merge_calling", attemptId, steps });
    const { merge } = this.queue.state;
    return merge?.id === attemptId && (merge.called ?? 0) >= steps;
  }

  /** Somebody moves the base at the very moment of the merge. */
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

  protected react({ data }: Event, effects: readonly Effect[]): void {
    if (data.type === "entry_admitted") this.heads.set(data.pr, data.headSha);
    if (data.type === "run_started") this.runs.set(data.run.id, data.run);
    if (data.type === "run_built") {
      this.ci.add(data.runId);
      this.pushed.add(data.runId);
    }
    if (data.type === "run_concluded" || data.type === "run_discarded") {
      this.ci.delete(data.runId);
      this.reruns.delete(data.runId);
    }
    if (data.type === "merge_recalled" && data.from === 0) this.dropMerge(data.attemptId);
    if (data.type === "direct_merge_considered")
      this.examinations.add(JSON.stringify([data.pr, data.headSha, data.base]));
    for (const effect of effects) {
      if (effect.type === "build_test_commit") this.builds.add(effect.runId);
      if (effect.type === "rerun_failed_checks") this.reruns.set(effect.runId, effect.attempt);
      if (effect.type === "remove_test_branch") this.pushed.delete(effect.runId);
      if (effect.type === "merge") this.merge = effect.attemptId;
      if (effect.type === "observe_pull_request") this.looks.add(effect.pr);
    }
  }

  /** Whoever carries it out may ask for leave all the same, and hears that it is off. */
  private dropMerge(attemptId: string): void {
    if (this.merge === attemptId) this.merge = null;
    this.past.push({ type: "merge_calling", attemptId, steps: 1 });
  }

  /** Targets hide no clash and no conflict. What is retargeted impacts more than before. */
  protected targets(pr: number): Targets {
    const own = this.retargeted.has(pr) ? [1, 2, 3, 4, 5, 6] : (this.scenario.targets[pr] ?? []);
    if (own === "ALL") return own;
    const pairs = [...this.scenario.clashes, ...this.scenario.conflicts];
    const shared = pairs.flatMap((pair, index) => (pair.includes(pr) ? [1_000 + index] : []));
    return TargetSet.of([...own, ...shared]);
  }
}

export function mismatch(pr: number, sha: string, expectedTree: string, actualTree: string): MergeStop {
  return {
    kind: "tree_mismatch",
    mismatch: { code: "TREE_MISMATCH", pr, sha, expectedTree, actualTree },
  };
}

function pick(items: Iterable<string>, n: number): string | undefined {
  const all = [...items];
  return all[n % Math.max(1, all.length)];
}
