import { TargetSet } from "../../../src/engine/collections/target-set.ts";
import type { CheckFact, TestEvidence } from "../../../src/engine/model/checks/required-checks.ts";

import type { Effect } from "../../../src/engine/model/effect.ts";
import type { Event } from "../../../src/engine/model/event.ts";
import type { Observation, TestCommitOutcome } from "../../../src/engine/model/input.ts";
import type { HeadExamination } from "../../../src/engine/model/merge-attempt.ts";
import type { Targets } from "../../../src/engine/model/targets.ts";
import { type StartedRun, testedSha } from "../../../src/engine/model/test-run.ts";
import type { Decide } from "../../../src/replay/engine-run/queue-driver.ts";
import { CodeHost, treeOf } from "./code-host.ts";
import { Judge } from "./judge.ts";
import { QueueUnderSoak } from "./queue-under-soak.ts";
import type { Scenario, Step } from "./scenario.ts";

const onlyFlakes: TestEvidence = { forgiven: [], flaky: [{ name: "build", tests: ["strikes twelve"] }] };

const alice = { kind: "user", name: "alice" } as const;

/** Performs the work that a queue orders, with or without faults: the code host and CI. */
export class OrderedWork {
  readonly host: CodeHost;
  readonly judge: Judge;
  readonly queue: QueueUnderSoak;
  protected readonly scenario: Scenario;
  protected readonly heads = new Map<number, string>();
  protected readonly runs = new Map<string, StartedRun>();
  /** Work that the queue has ordered and that is not done yet. */
  protected readonly builds = new Set<string>();
  protected readonly looks = new Set<number>();
  protected readonly examinations = new Set<string>();
  protected merge: string | null = null;
  /** Runs that CI is testing. */
  protected readonly ci = new Set<string>();
  /** Runs whose failed checks are to be re-run, with the number of the retry. */
  protected readonly reruns = new Map<string, number>();
  protected readonly pushed = new Set<string>();
  /** Pull requests that changed on the code host without the queue's knowledge. */
  protected readonly unseen = new Set<number>();
  protected readonly retargeted = new Set<number>();
  protected readBase: Observation | null = null;
  protected readonly past: Observation[] = [];
  protected checkIds = 0;
  /** Whether the required checks have changed in this scenario. */
  protected requires = false;
  /** Functions that each record a passed test whose checks have passed only in part. */
  private readonly partlyPassed: (() => void)[] = [];

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

  /** Reports an observation. Some observations are made twice, and some are repeated much later. */
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

  protected require({ n, unseen }: Step): void {
    this.host.require(n);
    this.requires = true;
    this.passPartly();
    if (!unseen) this.showRequirements();
  }

  private passPartly(): void {
    for (const pass of this.partlyPassed.splice(0)) pass();
  }

  protected showRequirements(): void {
    if (!this.requires) return;
    const { required } = this.host;
    this.observe({ type: "requirements_observed", required, source: "repo_provider_branch_protection" });
  }

  protected build(n: number, make: (run: StartedRun) => TestCommitOutcome): void {
    const run = this.runs.get(pick(this.builds, n) ?? "");
    if (!run) return;
    this.builds.delete(run.id);
    this.observe({ type: "test_commit_concluded", runId: run.id, outcome: make(run) });
  }

  /** @param known whether the reports say that only tests failed that are known to be flaky */
  protected report(n: number, how: "honest" | "partly" | "flaky" | "broken", known = false): void {
    const runId = pick(this.ci, n);
    const run = this.queue.state.runs.get(runId ?? "");
    if (run?.state !== "running") return;
    const content = this.host.contentOf(testedSha(run) ?? "");
    const isGood = this.host.isGreen(content);
    if (how === "partly") {
      const conclusion = n % 2 === 0 || !isGood ? null : "success";
      const pass = () => this.judge.proofs.pass(run.id, { content, ahead: run.ahead, members: run.members });
      // After a change of the requirements, the run may have to pass nothing else.
      if (conclusion !== null) this.partlyPassed.push(pass);
      if (this.requires) this.passPartly();
      const missing = run.required.map(({ name }) => name).filter((name) => name !== "build");
      this.judge.failures.report(run.id, { missing, pending: conclusion ? [] : ["build"] });
      return this.observe({
        type: "checks_observed",
        runId: run.id,
        checks: [this.check("build", conclusion)],
      });
    }
    this.ci.delete(run.id);
    if (how === "broken") {
      // After three such runs in a row, the queue evicts a pull request although it may be good.
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
    // An explained failure leads to blame only if it is final.
    if (isGood && !passed && !isExplained) this.judge.failures.flake(content);
    const checks = [this.check("build", passed ? "success" : "failure"), this.check("lint", "success")];
    if (this.requires) checks.push(this.check("docs", "success"));
    const tests = isExplained ? { tests: onlyFlakes } : {};
    this.observe({ type: "checks_observed", runId: run.id, checks, ...tests });
  }

  /** CI re-runs failed checks. In some cases the old results are shown again before the new ones. */
  protected rerun(n: number): void {
    const runId = pick(this.reruns.keys(), n) ?? "";
    const run = this.queue.state.runs.get(runId);
    if (!this.reruns.delete(runId) || run?.state !== "running") return;
    if (n % 3 === 0) this.queue.echo({ type: "checks_observed", runId, checks: run.checks });
    if (this.queue.state.runs.get(runId)?.state === "running") this.ci.add(runId);
  }

  /** Refuses a re-run. The queue is informed, perhaps too late. */
  protected refuseRerun(n: number): void {
    const runId = pick(this.reruns.keys(), n) ?? "";
    const attempt = this.reruns.get(runId);
    if (attempt === undefined) return;
    this.reruns.delete(runId);
    this.judge.flakes.refuse(runId);
    this.observe({ type: "retry_refused", runId, attempt, message: "not allowed" });
  }

  /** CI never reports the missing checks of a run, so the run has to time out. */
  protected silence(n: number): void {
    this.ci.delete(pick(this.ci, n) ?? "");
  }

  protected check(name: string, conclusion: string | null): CheckFact {
    const status = conclusion === null ? "in_progress" : "completed";
    const id = ++this.checkIds;
    return { kind: "check_run", name, appId: null, suiteId: 1, id, status, conclusion, url: null };
  }

  /** Examines a head that may merge without a test run. */
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
      ? { kind: "passed", treeSha: treeOf(content), required: this.host.required }
      : { kind: "obstacle", obstacle };
    this.observe({ type: "head_examined", pr, headSha, base, outcome });
  }

  /** GitHub's limits postpone a build or a merge. */
  protected postpone(n: number): void {
    const [work, id] =
      n % 2 === 0 ? (["build", pick(this.builds, n)] as const) : (["merge", this.merge] as const);
    const until = this.queue.now + 60_000 * (n % 10);
    const wait = { code: "GITHUB_LIMITS_US", message: "too many requests", until } as const;
    if (id) this.observe({ type: "work_postponed", work, id, wait });
  }

  protected react({ data }: Event, effects: readonly Effect[]): void {
    if (data.type === "entry_admitted") this.heads.set(data.pr, data.headSha);
    if (data.type === "run_started") this.runs.set(data.run.id, data.run);
    if (data.type === "run_built") {
      this.ci.add(data.runId);
      this.pushed.add(data.runId);
    }
    if (data.type === "run_requirements_changed" && data.reopens) this.ci.add(data.runId);
    if (data.type === "try_built") this.pushed.add(data.runId);
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

  /** Whether an entry keeps what was known before its mergeability became unknown. Then the service reads it again by itself. */
  protected keepsObstacle(pr: number): boolean {
    const entry = this.queue.state.entries.get(pr);
    return entry?.state === "not_ready" && entry.readiness.mergeability === "not_mergeable";
  }

  /** Asks for permission for dropped work once more, as the executor may. It then learns that the merge was recalled. */
  private dropMerge(attemptId: string): void {
    if (this.merge === attemptId) this.merge = null;
    this.past.push({ type: "merge_calling", attemptId, steps: 1 });
  }

  /**
   * Returns the targets of a pull request. Pull requests that clash or conflict always share a target. A retargeted one impacts
   * more than before.
   */
  protected targets(pr: number): Targets {
    const own = this.retargeted.has(pr) ? [1, 2, 3, 4, 5, 6] : (this.scenario.targets[pr] ?? []);
    if (own === "ALL") return own;
    const pairs = [...this.scenario.clashes, ...this.scenario.conflicts];
    const shared = pairs.flatMap((pair, index) => (pair.includes(pr) ? [1_000 + index] : []));
    return TargetSet.of([...own, ...shared]);
  }
}

function pick(items: Iterable<string>, n: number): string | undefined {
  const all = [...items];
  return all[n % Math.max(1, all.length)];
}
