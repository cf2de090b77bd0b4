import type { Channel } from "../../engine/actor.ts";
import type { HeadExamination } from "../../engine/direct-merge.ts";
import type { Effect } from "../../engine/effect.ts";
import type { Event } from "../../engine/event.ts";
import type { Observation, PullRequestFacts, QueueChanges, TestCommitOutcome } from "../../engine/input.ts";
import type {
  MergeAttempt,
  MergedStep,
  MergeOutcome,
  MergeStep,
  MergeStop,
} from "../../engine/merge-attempt.ts";
import { parsePriority } from "../../engine/priority.ts";
import type { CheckFact } from "../../engine/required-checks.ts";
import { TargetSet } from "../../engine/target-set.ts";
import type { Targets } from "../../engine/targets.ts";
import { type StartedRun, testedSha } from "../../engine/test-run.ts";
import type { Decide } from "../engine-run/queue-driver.ts";
import { CodeHost, treeOf } from "./code-host.ts";
import { Judge } from "./judge.ts";
import { QueueUnderSoak } from "./queue-under-soak.ts";
import { pullRequests, type Scenario, type Step } from "./scenario.ts";

const alice = { kind: "user", name: "alice" } as const;

/** Everything around a queue: people, the code host, CI, and what gets lost between them. */
export class World {
  readonly host: CodeHost;
  readonly judge: Judge;
  readonly queue: QueueUnderSoak;
  readonly #scenario: Scenario;
  readonly #heads = new Map<number, string>();
  readonly #runs = new Map<string, StartedRun>();
  /** What the queue has ordered, and was not done yet. */
  readonly #builds = new Set<string>();
  readonly #looks = new Set<number>();
  readonly #examinations = new Set<string>();
  #merge: string | null = null;
  /** Runs that CI tests, and what it reported of them last. */
  readonly #ci = new Set<string>();
  readonly #branches = new Set<string>();
  /** Changed on the code host, and the queue does not know. */
  readonly #unseen = new Set<number>();
  readonly #retargeted = new Set<number>();
  #readBase: Observation | null = null;
  readonly #past: Observation[] = [];
  #checkIds = 0;

  constructor(scenario: Scenario, decideWith: Decide) {
    this.#scenario = scenario;
    this.host = new CodeHost(scenario);
    this.judge = new Judge(this.host);
    this.queue = new QueueUnderSoak(decideWith, this.judge, (event, effects) => this.#react(event, effects));
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

  step(step: Step): void {
    const pr = this.#about(step);
    const isOpen = this.host.pullRequest(pr).state === "open";
    switch (step.do) {
      case "submit":
        return this.#submit(pr, step.n, null);
      case "submit_urgent":
        return this.#submit(pr, step.n, "urgent");
      case "submit_high":
        return this.#submit(pr, step.n, "high");
      case "submit_low":
        return this.#submit(pr, step.n, "low");
      case "submit_alone":
        return this.#submit(pr, step.n, null, true);
      case "cancel":
        return this.#cancel(pr, step.n);
      case "restart":
        this.queue.take({ type: "restart", pr, actor: alice });
        return;
      case "configure":
        return this.configure(step.changes ?? {});
      case "push":
        if (isOpen) this.host.push(pr);
        return this.#show(pr, step);
      case "close":
        return this.#change(pr, { state: "closed" }, step, isOpen);
      case "reopen":
        return this.#change(pr, { state: "open" }, step, this.host.pullRequest(pr).state === "closed");
      case "draft":
        return this.#change(pr, { draft: true }, step, isOpen);
      case "undraft":
        return this.#change(pr, { draft: false }, step, isOpen);
      case "unsettle": {
        const mergeability =
          (["in_progress", "not_mergeable", "mergeable"] as const)[step.n % 3] ?? "mergeable";
        return this.#change(pr, { mergeability, title: `Change ${step.n}` }, step, isOpen);
      }
      case "retarget_branch":
        return this.#change(pr, { baseBranch: step.n % 2 === 0 ? "next" : "main" }, step, isOpen);
      case "merge_by_hand":
        if (isOpen) this.judge.proofs.mergeByHand(this.host.pullRequest(pr).headSha);
        this.host.mergeByHand(pr);
        if (step.n % 2 === 0) this.#lookAtBase();
        return this.#show(pr, step);
      case "retarget":
        this.#retargeted.add(pr);
        if (!step.unseen) this.#showTargets(pr);
        return;
      case "move_base":
        this.host.moveBase();
        if (!step.unseen) this.#lookAtBase();
        return;
      case "rewind_base":
        this.host.rewind(step.n);
        if (!step.unseen) this.#lookAtBase();
        return;
      case "build":
        return this.#build(step.n, (run) => this.host.build(run, (other) => this.#heads.get(other) ?? ""));
      case "outage":
        return this.#build(step.n, () => ({ kind: "infrastructure_error", message: "out of order" }));
      case "refuse_build":
        return this.#build(
          step.n,
          () => refusals[step.n % refusals.length] ?? { kind: "no_required_checks" },
        );
      case "report":
        return this.#report(step.n, "honest");
      case "report_partly":
        return this.#report(step.n, "partly");
      case "flake":
        return this.#report(step.n, "flaky");
      case "silence":
        return this.#silence(step.n);
      case "break":
        return this.#report(step.n, "broken");
      case "examine":
        return this.#examine(step.n);
      case "merge":
        return this.#carryOut(Number.POSITIVE_INFINITY, null);
      case "merge_interrupted":
        return this.#carryOut(step.n % 3, { kind: "base_moved", actual: "" });
      case "merge_refused":
        return this.#carryOut(step.n % 2, stops[step.n % stops.length] ?? null);
      case "look":
        return this.#look([...this.#looks, ...this.#unseen][0] ?? pr);
      case "look_at_base":
        return this.#lookAtBase();
      case "read_base":
        this.#readBase = this.#baseNow();
        return;
      case "deliver_base":
        return this.#deliverBase();
      case "echo":
        return this.#echo(step.n);
      case "wait":
        this.queue.now += (1 + (step.n % 20)) * 60_000;
        return this.#observe({ type: "clock" });
      case "wake":
        return this.wake();
      case "crash":
        return this.queue.crash();
    }
  }

  /** Mostly one that is in the queue, but for submissions. */
  #about({ do: what, n }: Step): number {
    const live = [...this.queue.state.entries.values()];
    const any = 1 + (n % pullRequests);
    if (what.startsWith("submit") || what === "reopen" || n % 4 === 0) return any;
    return live[n % live.length]?.pr ?? any;
  }

  configure(changes: QueueChanges): void {
    this.queue.take({ type: "configure", changes, actor: alice });
  }

  /** Nothing that the queue has ordered is left to do. */
  get isIdle(): boolean {
    return this.#builds.size + this.#ci.size + this.#examinations.size === 0 && this.#merge === null;
  }

  get branches(): ReadonlySet<string> {
    return this.#branches;
  }

  /** Faults stop: what is unknown becomes known, and what was missed is read again. */
  settle(): void {
    for (let pr = 1; pr <= pullRequests; pr++) {
      if (this.host.pullRequest(pr).mergeability === "in_progress")
        this.host.change(pr, { mergeability: "mergeable" });
    }
    for (const pr of new Set([...this.#looks, ...this.#unseen])) this.#look(pr);
    for (const pr of [...this.queue.state.entries.values()].map((entry) => entry.pr)) this.#showTargets(pr);
    this.#lookAtBase();
  }

  /** Sleeps until the queue wants to be woken. */
  wake(): void {
    const { deadline } = this.queue;
    if (deadline === null) return;
    this.queue.now = Math.max(this.queue.now, deadline);
    const before = this.queue.events;
    this.#observe({ type: "clock" });
    if (this.queue.events === before && this.queue.deadline === deadline)
      this.judge.violations.add("I18", "a deadline passed, and nothing came of it");
  }

  #submit(pr: number, n: number, priority: string | null, noBatch = false): void {
    this.queue.now += (n % 3) * 1_000;
    const facts = this.host.pullRequest(pr);
    const refusal = this.queue.take({
      type: "submit",
      entryId: `entry-${pr}`,
      pullRequest: facts,
      expectedHead: null,
      seenHead: null,
      priority: priority === null ? null : parsePriority(priority),
      noBatch: noBatch ? true : null,
      targets: n % 3 === 0 && priority === null ? null : this.#targets(pr),
      actor: alice,
      via: channels[n % channels.length] ?? "api",
    });
    if (!refusal) this.judge.entries.submit(pr);
  }

  #cancel(pr: number, n: number): void {
    const via = channels[n % channels.length] ?? "api";
    const refusal = this.queue.take({ type: "cancel", pr, actor: alice, via });
    if (refusal?.code === "COMMANDS_DISABLED") return;
    if (refusal) this.judge.checkRefusedCancel(this.queue.state, pr);
    else this.judge.entries.cancel(pr);
  }

  #change(pr: number, changes: Partial<PullRequestFacts>, step: Step, isPossible: boolean): void {
    if (isPossible) this.host.change(pr, changes);
    this.#show(pr, step);
  }

  #show(pr: number, { unseen }: Step): void {
    if (unseen) this.#unseen.add(pr);
    else this.#look(pr);
  }

  #look(pr: number): void {
    const pullRequest = this.host.pullRequest(pr);
    this.#unseen.delete(pr);
    if (pullRequest.mergeability !== "in_progress") this.#looks.delete(pr);
    this.#observe({ type: "pull_request_observed", pullRequest });
    this.judge.checkHead(this.queue.state, pr, pullRequest.headSha);
  }

  #showTargets(pr: number): void {
    const { headSha } = this.host.pullRequest(pr);
    this.#observe({ type: "targets_observed", pr, headSha, targets: this.#targets(pr) });
  }

  #baseNow(): Observation {
    return { type: "base_observed", sha: this.host.tip, asOfSeq: this.queue.state.seq };
  }

  #lookAtBase(): void {
    this.#observe(this.#baseNow());
  }

  #deliverBase(): void {
    const read = this.#readBase;
    if (read?.type !== "base_observed") return;
    this.#readBase = null;
    if (read.asOfSeq < this.queue.state.baseSeq) this.queue.echo(read);
    else this.#observe(read);
  }

  /** Every observation is made twice now and then, and may come again much later. */
  #observe(observation: Observation): void {
    if (this.queue.events % 5 === 0) this.queue.takeTwice(observation);
    else this.queue.take(observation);
    if (
      ["test_commit_concluded", "checks_observed", "merge_concluded", "base_observed"].includes(
        observation.type,
      )
    )
      this.#past.push(observation);
  }

  #echo(n: number): void {
    const late = this.#past[n % Math.max(1, this.#past.length)];
    if (late && isObsolete(late, this.queue)) this.queue.echo(late);
  }

  #build(n: number, make: (run: StartedRun) => TestCommitOutcome): void {
    const run = this.#runs.get(pick(this.#builds, n) ?? "");
    if (!run) return;
    this.#builds.delete(run.id);
    this.#observe({ type: "test_commit_concluded", runId: run.id, outcome: make(run) });
  }

  #report(n: number, how: "honest" | "partly" | "flaky" | "broken"): void {
    const runId = pick(this.#ci, n);
    const run = this.queue.state.runs.get(runId ?? "");
    if (run?.state !== "running") return;
    const content = this.host.contentOf(testedSha(run) ?? "");
    const isGood = this.host.isGreen(content);
    if (how === "partly") {
      const conclusion = n % 2 === 0 || !isGood ? null : "success";
      this.judge.failures.report(run.id, { missing: ["lint"], pending: conclusion ? [] : ["build"] });
      return this.#observe({
        type: "checks_observed",
        runId: run.id,
        checks: [this.#check("build", conclusion)],
      });
    }
    this.#ci.delete(run.id);
    if (how === "broken") {
      // Three of these, and they are believed.
      this.judge.failures.flake(content);
      return this.#observe({
        type: "checks_observed",
        runId: run.id,
        checks: [this.#check("build", "cancelled")],
      });
    }
    const passed = isGood && how === "honest";
    if (passed) this.judge.proofs.pass(run.id, { content, ahead: run.ahead, members: run.members });
    else if (isGood) this.judge.failures.flake(content);
    const checks = [this.#check("build", passed ? "success" : "failure"), this.#check("lint", "success")];
    this.#observe({ type: "checks_observed", runId: run.id, checks });
  }

  /** CI never reports what is missing of a run; it has to time out. */
  #silence(n: number): void {
    this.#ci.delete(pick(this.#ci, n) ?? "");
  }

  #check(name: string, conclusion: string | null): CheckFact {
    const status = conclusion === null ? "in_progress" : "completed";
    const id = ++this.#checkIds;
    return { kind: "check_run", name, appId: null, suiteId: 1, id, status, conclusion, url: null };
  }

  /** Looks at a head that may merge without a test run. */
  #examine(n: number): void {
    const key = pick(this.#examinations, n) ?? "";
    const [pr, headSha, base] = JSON.parse(key || "[0]");
    if (!this.#examinations.delete(key)) return;
    const content = this.host.headContent(headSha);
    const isUpToDate = treeOf(content) === treeOf([...this.host.contentOf(base), headSha]);
    const passed = isUpToDate && this.host.isGreen(content) && n % 5 > 0;
    if (passed) this.judge.proofs.pass(headSha, { content, ahead: [], members: [pr] });
    const obstacle = isUpToDate ? "CHECKS_NOT_PASSED" : "NOT_UP_TO_DATE";
    const outcome: HeadExamination = passed
      ? { kind: "passed", treeSha: treeOf(content) }
      : { kind: "obstacle", obstacle };
    this.#observe({ type: "head_examined", pr, headSha, base, outcome });
  }

  /** Merges as many steps as it is let; then comes what stops it, if anything does. */
  #carryOut(limit: number, stop: MergeOutcome["stop"]): void {
    const attempt = this.queue.state.merge;
    if (!attempt || attempt.id !== this.#merge) return;
    this.#merge = null;
    const merged: MergedStep[] = [];
    let expected = attempt.base;
    const end = (why: MergeOutcome["stop"]) =>
      this.#observe({ type: "merge_concluded", attemptId: attempt.id, outcome: { merged, stop: why } });
    for (const step of attempt.steps) {
      const { headSha, state, draft } = this.host.pullRequest(step.pr);
      if (merged.length >= limit) {
        if (stop?.kind === "tree_mismatch") return end(this.#mergeWrongly(step, attempt));
        if (stop?.kind !== "base_moved") return end(stop);
        this.host.moveBase();
      }
      if (this.host.tip !== expected) return end({ kind: "base_moved", actual: this.host.tip });
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

  /** Somebody moves the base at the very moment of the merge. */
  #mergeWrongly(step: MergeStep, attempt: MergeAttempt): MergeStop | null {
    const { headSha, state, draft } = this.host.pullRequest(step.pr);
    if (this.host.tip !== attempt.base) return { kind: "base_moved", actual: this.host.tip };
    if (headSha !== step.headSha || state !== "open" || draft) return { kind: "head_changed" };
    this.host.moveBase();
    const done = this.host.merge(step, attempt);
    this.judge.mergeUntested(step);
    return mismatch(step.pr, done.sha, step.treeSha, done.treeSha);
  }

  #react({ data }: Event, effects: readonly Effect[]): void {
    if (data.type === "entry_admitted") this.#heads.set(data.pr, data.headSha);
    if (data.type === "run_started") this.#runs.set(data.run.id, data.run);
    if (data.type === "run_built") {
      this.#ci.add(data.runId);
      this.#branches.add(data.runId);
    }
    if (data.type === "run_concluded" || data.type === "run_discarded") this.#ci.delete(data.runId);
    if (data.type === "direct_merge_considered")
      this.#examinations.add(JSON.stringify([data.pr, data.headSha, data.base]));
    for (const effect of effects) {
      if (effect.type === "build_test_commit") this.#builds.add(effect.runId);
      if (effect.type === "remove_test_branch") this.#branches.delete(effect.runId);
      if (effect.type === "merge") this.#merge = effect.attemptId;
      if (effect.type === "observe_pull_request") this.#looks.add(effect.pr);
    }
  }

  /** Targets hide no clash and no conflict. What is retargeted impacts more than before. */
  #targets(pr: number): Targets {
    const own = this.#retargeted.has(pr) ? [1, 2, 3, 4, 5, 6] : (this.#scenario.targets[pr] ?? []);
    if (own === "ALL") return own;
    const pairs = [...this.#scenario.clashes, ...this.#scenario.conflicts];
    const shared = pairs.flatMap((pair, index) => (pair.includes(pr) ? [1_000 + index] : []));
    return TargetSet.of([...own, ...shared]);
  }
}

const channels: readonly Channel[] = ["comment", "label", "api", "action"];

const refusals: readonly TestCommitOutcome[] = [
  { kind: "no_required_checks" },
  { kind: "configuration_invalid", message: "not a list" },
  { kind: "permission_denied", message: "no access" },
];

const stops: readonly MergeStop[] = [
  { kind: "refused", message: "not allowed by the rules" },
  { kind: "not_allowed", message: "merging is switched off" },
  { kind: "composition_conflict" },
  { kind: "head_changed" },
  mismatch(0, "", "", ""),
];

function mismatch(pr: number, sha: string, expectedTree: string, actualTree: string): MergeStop {
  return {
    kind: "tree_mismatch",
    mismatch: { code: "TREE_MISMATCH", pr, sha, expectedTree, actualTree },
  };
}

function isObsolete(late: Observation, { state }: QueueUnderSoak): boolean {
  switch (late.type) {
    case "test_commit_concluded":
      return state.runs.get(late.runId)?.state !== "building";
    case "checks_observed":
      return state.runs.get(late.runId)?.state !== "running";
    case "base_observed":
      return late.asOfSeq < state.baseSeq;
    default:
      return late.type === "merge_concluded" && state.merge?.id !== late.attemptId;
  }
}

function pick(items: ReadonlySet<string>, n: number): string | undefined {
  return [...items][n % Math.max(1, items.size)];
}
