import type { Channel } from "../../../src/engine/model/actor.ts";
import { type PullRequestFacts, parsePriority } from "../../../src/engine/model/entry.ts";
import type { Observation, QueueChanges, TestCommitOutcome } from "../../../src/engine/model/input.ts";
import type { MergeStop } from "../../../src/engine/model/merge-attempt.ts";
import type { Freeze } from "../../../src/engine/model/order/delay.ts";
import { mismatch, OrderedMerges } from "./ordered-merges.ts";
import { isObsolete } from "./queue-under-soak.ts";
import { pullRequests, type Step } from "./scenario.ts";
import { advanceBaseTest, advanceTry, askForTry, cancelTry, freezeFrom, objections } from "./steps.ts";

const alice = { kind: "user", name: "alice" } as const;

/** The world around a queue: people, the code host, CI, and lost messages. */
export class World extends OrderedMerges {
  step(step: Step): void {
    const pr = this.about(step);
    const isOpen = this.host.pullRequest(pr).state === "open";
    switch (step.do) {
      case "submit":
        return this.submit(pr, step.n, null);
      case "submit_urgent":
        return this.submit(pr, step.n, "urgent");
      case "submit_high":
        return this.submit(pr, step.n, "high");
      case "submit_low":
        return this.submit(pr, step.n, "low");
      case "submit_alone":
        return this.submit(pr, step.n, null, true);
      case "cancel":
        return this.cancel(pr, step.n);
      case "restart":
        this.queue.take({ type: "restart", pr, actor: alice });
        return;
      case "try":
        return askForTry(this.queue, this.host, 1 + (step.n % pullRequests));
      case "cancel_try":
        return cancelTry(this.queue, 1 + (step.n % pullRequests));
      case "advance_try":
        return advanceTry(this.queue, this.host, step.n);
      case "configure":
        return this.configure(step.changes ?? {});
      case "push":
        if (isOpen) this.host.push(pr);
        return this.show(pr, step);
      case "close":
        return this.change(pr, { state: "closed" }, step, isOpen);
      case "reopen":
        return this.change(pr, { state: "open" }, step, this.host.pullRequest(pr).state === "closed");
      case "draft":
        return this.change(pr, { draft: true }, step, isOpen);
      case "undraft":
        return this.change(pr, { draft: false }, step, isOpen);
      case "unsettle": {
        const mergeability =
          (["in_progress", "not_mergeable", "mergeable"] as const)[step.n % 3] ?? "mergeable";
        return this.change(pr, { mergeability, title: `Change ${step.n}` }, step, isOpen);
      }
      case "object":
        return this.change(pr, { objections: objections[step.n % objections.length] ?? [] }, step, isOpen);
      case "retarget_branch":
        return this.change(pr, { baseBranch: step.n % 2 === 0 ? "next" : "main" }, step, isOpen);
      case "merge_by_hand":
        if (isOpen) this.judge.proofs.mergeByHand(this.host.pullRequest(pr).headSha);
        this.host.mergeByHand(pr);
        if (step.n % 2 === 0) this.lookAtBase();
        return this.show(pr, step);
      case "retarget":
        this.retargeted.add(pr);
        if (!step.unseen) this.showTargets(pr);
        return;
      case "move_base":
        this.host.moveBase();
        if (!step.unseen) this.lookAtBase();
        return;
      case "rewind_base":
        this.host.rewind(step.n);
        if (!step.unseen) this.lookAtBase();
        return;
      case "build":
        return this.build(step.n, (run) => this.host.build(run, (other) => this.heads.get(other) ?? ""));
      case "outage":
        return this.build(step.n, () => ({ kind: "infrastructure_error", message: "out of order" }));
      case "refuse_build":
        return this.build(step.n, () => refusals[step.n % refusals.length] ?? { kind: "no_required_checks" });
      case "report":
        if (step.n % 3 === 0 && advanceBaseTest(this.queue, this.host, step.n)) return;
        return this.report(step.n, "honest");
      case "report_partly":
        return this.report(step.n, "partly");
      case "flake":
        return this.report(step.n, "flaky");
      case "flake_known":
        return this.report(step.n, "flaky", true);
      case "rerun":
        return this.rerun(step.n);
      case "refuse_rerun":
        return this.refuseRerun(step.n);
      case "silence":
        return this.silence(step.n);
      case "break":
        return this.report(step.n, "broken");
      case "examine":
        return this.examine(step.n);
      case "merge":
        return this.carryOut(Number.POSITIVE_INFINITY, null);
      case "call":
        return this.callInVain();
      case "postpone":
        return this.postpone(step.n);
      case "merge_interrupted":
        return this.carryOut(step.n % 3, { kind: "base_moved", actual: "" });
      case "merge_refused":
        return this.carryOut(step.n % 2, stops[step.n % stops.length] ?? null);
      case "look":
        return this.look([...this.looks, ...this.unseen][0] ?? pr);
      case "look_at_base":
        return this.lookAtBase();
      case "read_base":
        this.readBase = this.baseNow();
        return;
      case "deliver_base":
        return this.deliverBase();
      case "echo":
        return this.echo(step.n);
      case "freeze":
        return this.freeze(freezeFrom(this.queue.now, step.n));
      case "thaw":
        return this.freeze(null);
      case "require":
        return this.require(step);
      case "archive":
        return this.archive(true);
      case "unarchive":
        return this.archive(false);
      case "wait":
        this.queue.now += (1 + (step.n % 20)) * 60_000;
        return this.observe({ type: "clock" });
      case "wake":
        return this.wake();
      case "crash":
        return this.queue.crash();
    }
  }

  /** Selects a pull request, mostly one in the queue, except for submissions. */
  protected about({ do: what, n }: Step): number {
    const live = [...this.queue.state.entries.values()];
    const any = 1 + (n % pullRequests);
    if (what.startsWith("submit") || what === "reopen" || n % 4 === 0) return any;
    return live[n % live.length]?.pr ?? any;
  }

  configure(changes: QueueChanges): void {
    const refusal = this.queue.take({ type: "configure", changes, actor: alice });
    if (refusal === null && changes.status !== undefined) this.judge.status.set(changes.status);
  }

  archive(isArchived: boolean): void {
    const obstacle = isArchived
      ? ({ code: "REPOSITORY_ARCHIVED", repository: "acme/simulated" } as const)
      : null;
    this.observe({ type: "reach_observed", obstacle });
    this.judge.status.receive(isArchived);
  }

  /** Whether all work that the queue ordered is done. */
  get isIdle(): boolean {
    const { builds, ci, reruns, examinations, merge, queue } = this;
    const isAtWork = builds.size + ci.size + reruns.size + examinations.size > 0;
    return !isAtWork && merge === null && queue.state.baseTest === null;
  }

  get branches(): ReadonlySet<string> {
    return this.pushed;
  }

  /** Stops the faults: unknown facts become known, and missed changes are read again. */
  settle(): void {
    for (let pr = 1; pr <= pullRequests; pr++) {
      if (this.host.pullRequest(pr).mergeability === "in_progress")
        this.host.change(pr, { mergeability: "mergeable" });
    }
    for (const pr of new Set([...this.looks, ...this.unseen])) this.look(pr);
    for (const pr of [...this.queue.state.entries.values()].map((entry) => entry.pr)) this.showTargets(pr);
    this.lookAtBase();
    this.showRequirements();
  }

  /** Advances the clock to the queue's next deadline. */
  wake(): void {
    const { deadline } = this.queue;
    if (deadline === null) return;
    this.queue.now = Math.max(this.queue.now, deadline);
    if (this.isIdle) this.judge.checkFrozen(this.queue.state, deadline);
    const before = this.queue.events;
    this.observe({ type: "clock" });
    if (this.queue.events === before && this.queue.deadline === deadline)
      this.judge.violations.add("I18", "a deadline passed, and nothing came of it");
  }

  protected submit(pr: number, n: number, priority: string | null, noBatch = false): void {
    this.queue.now += (n % 3) * 1_000;
    const facts = this.host.pullRequest(pr);
    const via = channels[n % channels.length] ?? "api";
    // People have looked at the queued head, or else at the current one.
    const lookedAt = this.queue.state.entries.get(pr)?.headSha ?? facts.headSha;
    const refusal = this.queue.take({
      type: "submit",
      entryId: `entry-${pr}`,
      pullRequest: facts,
      expectedHead: null,
      seenHead: via === "comment" || via === "label" ? lookedAt : null,
      priority: priority === null ? null : parsePriority(priority),
      noBatch: noBatch ? true : null,
      targets: n % 3 === 0 && priority === null ? null : this.targets(pr),
      actor: alice,
      via,
    });
    if (!refusal) this.judge.entries.submit(pr);
  }

  protected cancel(pr: number, n: number): void {
    const via = channels[n % channels.length] ?? "api";
    const refusal = this.queue.take({ type: "cancel", pr, actor: alice, via });
    if (refusal?.code === "COMMANDS_DISABLED") return;
    if (refusal) this.judge.checkRefusedCancel(this.queue.state, pr);
    else this.judge.entries.cancel(pr);
  }

  protected change(pr: number, changes: Partial<PullRequestFacts>, step: Step, isPossible: boolean): void {
    if (isPossible) this.host.change(pr, changes);
    this.show(pr, step);
  }

  protected show(pr: number, { unseen }: Step): void {
    if (unseen) this.unseen.add(pr);
    else this.look(pr);
  }

  protected look(pr: number): void {
    const pullRequest = this.host.pullRequest(pr);
    this.unseen.delete(pr);
    if (pullRequest.mergeability !== "in_progress") this.looks.delete(pr);
    this.observe({ type: "pull_request_observed", pullRequest });
    if (pullRequest.mergeability === "in_progress" && this.keepsObstacle(pr)) this.looks.add(pr);
    // Only after a merge call of GitHub is it known who merged it.
    if (pullRequest.mergedSha === null) this.judge.checkHead(this.queue.state, pr, pullRequest.headSha);
  }

  protected showTargets(pr: number): void {
    const { headSha } = this.host.pullRequest(pr);
    this.observe({ type: "targets_observed", pr, headSha, targets: this.targets(pr) });
  }

  protected baseNow(): Observation {
    return { type: "base_observed", sha: this.host.tip, asOfSeq: this.queue.state.seq };
  }

  protected lookAtBase(): void {
    this.observe(this.baseNow());
  }

  protected freeze(freeze: Freeze | null): void {
    this.queue.takeTwice({ type: "freeze_observed", freeze });
  }

  protected deliverBase(): void {
    const read = this.readBase;
    if (read?.type !== "base_observed") return;
    this.readBase = null;
    if (read.asOfSeq < this.queue.state.baseSeq) this.queue.echo(read);
    else this.observe(read);
  }

  protected echo(n: number): void {
    const late = this.past[n % Math.max(1, this.past.length)];
    if (late && isObsolete(late, this.queue)) this.queue.echo(late);
  }
}

const channels: readonly Channel[] = ["comment", "label", "api", "action"];

const refusals: readonly TestCommitOutcome[] = [
  { kind: "no_required_checks" },
  { kind: "configuration_invalid", message: "not a list" },
  { kind: "permission_denied", message: "no access" },
  { kind: "refused", pr: null, message: "creations are restricted", cause: "CREATION_RESTRICTED" },
];

const stops: readonly MergeStop[] = [
  { kind: "refused", message: "not allowed by the rules" },
  { kind: "refused", message: "merging is switched off", cause: "UPDATES_RESTRICTED" },
  { kind: "composition_conflict" },
  { kind: "head_changed" },
  mismatch(0, "", "", ""),
];
