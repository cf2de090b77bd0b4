import type { Decided } from "../../../src/engine/decide.ts";
import { evolve } from "../../../src/engine/evolve.ts";
import { explain } from "../../../src/engine/explain/explain.ts";
import { forecast } from "../../../src/engine/forecast/forecast.ts";
import { isMergeCalled } from "../../../src/engine/lifecycle/merging/ordered-merge.ts";
import { withdrawalOf } from "../../../src/engine/lifecycle/submission/readiness.ts";
import { type CheckFact, isPassing } from "../../../src/engine/model/checks/required-checks.ts";
import { effectsOf } from "../../../src/engine/model/effect.ts";
import type { Event, EventData, EventOf } from "../../../src/engine/model/event.ts";
import type { MergeAttempt, MergeStep } from "../../../src/engine/model/merge-attempt.ts";
import { baseTip, noQueue, type QueueState } from "../../../src/engine/model/queue.ts";
import { testedSha } from "../../../src/engine/model/test-run.ts";
import { bisectionsOf } from "../../../src/engine/policies/fixed/fixed-fold.ts";
import { policyOf } from "../../../src/engine/policies/policy-of.ts";
import { serializeState } from "../../../src/engine/snapshot.ts";
import { EntryWatch, Violations } from "../../../src/replay/engine-run/watches.ts";
import type { CodeHost } from "./code-host.ts";
import { BlameWatch, FlakeWatch } from "./rules/blame-watch.ts";
import {
  checkFreeze,
  checkTries,
  checkTryEvent,
  findUrgentFrozen,
  isFreezeOver,
  isOneCall,
} from "./rules/command-rules.ts";
import { checkMergeOrder, checkRun, findIdleSlot, findLeftBehind, Proofs } from "./rules/order-rules.ts";
import { FailureWatch, findUntruth, RepetitionWatch, StatusWatch } from "./rules/shown-rules.ts";

/** Knows the truth, observes every event, and reports violations of the engine's invariants. */
export class Judge {
  readonly proofs = new Proofs();
  readonly violations = new Violations();
  readonly entries = new EntryWatch(this.violations);
  readonly flakes = new FlakeWatch(this.violations);
  readonly failures: FailureWatch;
  readonly blames = new BlameWatch(this.violations);
  readonly repetitions = new RepetitionWatch(this.violations);
  readonly status = new StatusWatch(this.violations);
  /** Whether faults have stopped, so that the queue will observe every change on the code host. */
  isSettled = false;
  readonly #host: CodeHost;
  /** The fold of the log, without any snapshot. */
  #folded: QueueState = noQueue;
  readonly #mergedHeads = new Set<string>();
  /** The pull requests that merged according to the queue, and those that did, in order. */
  readonly #told: number[] = [];
  readonly #merged: number[] = [];
  /** The checks of runs that have ended. One that vouched for another run may be gone when that one merges. */
  readonly #checks = new Map<string, readonly CheckFact[]>();
  #optimism = false;

  constructor(host: CodeHost) {
    this.#host = host;
    this.failures = new FailureWatch(this.violations, host);
  }

  /** Judges a merge by the checks that must pass now. */
  checkRequired(
    { pr, runId }: MergeStep,
    { required: onHead = [] }: MergeAttempt,
    { runs }: QueueState,
  ): void {
    const run = runs.get(runId ?? "");
    const proofId = run?.vouchedBy ?? run?.id;
    const checks = runs.get(proofId ?? "")?.checks ?? this.#checks.get(proofId ?? "");
    const passed = (checks?.filter(isPassing) ?? onHead).map(({ name }) => name);
    const open = this.#host.required.filter(({ name }) => !passed.includes(name));
    for (const { name } of open)
      this.violations.add("I28", `#${pr} merges without ${name}, which is required`);
  }

  /** Judges one decision, event by event. */
  check({ events, state, refusal, touched }: Decided, now: number): void {
    for (const event of events) {
      this.#checkEvent(this.#folded, event);
      this.blames.check(this.#folded, event);
      this.status.note(event);
      this.#folded = evolve(this.#folded, event);
      const { data } = event;
      if (data.type === "run_concluded")
        this.#checks.set(data.runId, this.#folded.runs.get(data.runId)?.checks ?? []);
      this.#optimism ||= this.#folded.settings.canOptimisticallyMerge;
    }
    // Far above the observed maximum. Higher numbers mean that steps undo each other.
    const most = 20 + 8 * Math.max(touched.size, state.entries.size);
    if (events.length > most) this.violations.add("I25", `a decision led to ${events.length} events`);
    checkTries(this.violations, state);
    const moved = events.some(({ data }) => data.type === "base_moved" && data.pr === null);
    if (moved && [...state.runs.values()].some(({ base }) => base !== baseTip(state))) {
      this.violations.add("I15", "a run that began on another base is still valid");
    }
    // With beliefs, the order of tests and merges follows the beliefs.
    const isLine = policyOf(state).name === "fixed";
    if (isLine) this.#checkLine(state);
    const idle = refusal === null && isLine ? findIdleSlot(state, now) : null;
    if (idle !== null) this.violations.add("I19", `#${idle} waits in front, and a slot is free`);
    const young = refusal === null ? findLeftBehind(state, now) : null;
    if (young !== null) this.violations.add("I19", `#${young} can be overtaken for ever`);
    if (refusal === null && isFreezeOver(state, now))
      this.violations.add("I22", "a freeze is over, and the queue does not know");
  }

  /** Judges an observation without news, which must not cause any event. */
  checkSilence(what: string, { events }: Decided): void {
    const [first] = events;
    if (first) this.violations.add("I17", `${what} says nothing new, but led to ${first.data.type}`);
  }

  /** Checks that every entry has an explanation, and that a running queue has forecasts. */
  checkExplained(state: QueueState, now: number): void {
    const forecasts = forecast(state, now);
    for (const entry of state.entries.values()) {
      const links = explain(state, entry, now);
      if (links.every(({ text }) => text === ""))
        this.violations.add("I18", `nothing says what #${entry.pr} waits for, which is ${entry.state}`);
      const run = state.runs.get(entry.runId ?? "");
      if (entry.state === "pending" && run?.state === "running")
        this.violations.add("I18", `#${entry.pr} is pending, but its run is running`);
      if (links.some(({ code }) => code === "BUILDING_TEST_COMMIT") && run?.state !== "building")
        this.violations.add("I18", `#${entry.pr} is said to be built, but its run is ${run?.state}`);
      if (links.some(({ code }) => code === "WAITING_FOR_CHECKS") && run?.state !== "running")
        this.violations.add("I18", `#${entry.pr} is said to be tested, but its run is ${run?.state}`);
      const untruth = findUntruth(state, entry, links, now);
      if (untruth !== null) this.violations.add("I24", untruth);
      const { p50, p90 } = forecasts.get(entry.pr) ?? { p50: 0, p90: 0 };
      const isForecast =
        policyOf(state).name !== "fixed" ||
        state.status !== "running" ||
        state.stall !== null ||
        entry.state === "not_ready" ||
        forecasts.has(entry.pr);
      if (!isForecast || !(p50 >= 0 && p50 <= p90 + 1 && p90 < Number.POSITIVE_INFINITY))
        this.violations.add(
          "I18",
          `the forecast of #${entry.pr}, which is ${entry.state}, is ${p50} to ${p90}`,
        );
    }
  }

  /** Must be called when nothing is left to do before the deadline. */
  checkFrozen(state: QueueState, deadline: number): void {
    const urgent = findUrgentFrozen(state, deadline);
    if (urgent !== null) this.violations.add("I22", `urgent #${urgent} waits for the end of a freeze`);
  }

  checkFold(state: QueueState): void {
    if (serializeState(this.#folded) !== serializeState(state))
      this.violations.add("I16", "the state is not the fold of its log");
  }

  /** Must be called after the queue has observed the head of a pull request. */
  checkHead(state: QueueState, pr: number, headSha: string): void {
    const entry = state.entries.get(pr);
    if (!entry || entry.headSha === headSha || isMergeCalled(state, pr)) return;
    this.violations.add("I6", `#${pr} is in the queue with ${entry.headSha}, but was pushed to`);
  }

  checkRefusedCancel(state: QueueState, pr: number): void {
    if (state.entries.has(pr) && !isMergeCalled(state, pr))
      this.violations.add("I5", `#${pr} was not cancelled, although GitHub was not asked for its merge`);
  }

  /**
   * Must be called after an obstacle was found just before a merge. The entry must leave the merge, because otherwise its merge would be
   * ordered forever.
   */
  checkWithdrawn(state: QueueState, pr: number): void {
    const entry = state.entries.get(pr);
    if (entry && entry.state !== "not_ready")
      this.violations.add("I18", `#${pr} was found not to merge, and is still ${entry.state}`);
  }

  /** Judges a step of a merge just before the code host performs it. */
  checkMerge(step: MergeStep, attempt: MergeAttempt, mode: "single" | "parallel"): void {
    const { headSha, pr } = step;
    const base = this.#host.contentOf(this.#host.tip);
    const after = [...base, headSha];
    this.entries.checkMerge(pr);
    if (!isMergeCalled(this.#folded, pr))
      this.violations.add("I5", `#${pr} merged, although it could still be called off`);
    if (this.#folded.entries.get(pr)?.headSha !== headSha)
      this.violations.add("I3", `#${pr} merged with ${headSha}, which was not admitted`);
    if (this.#mergedHeads.has(headSha)) this.violations.add("I4", `${headSha} merged a second time`);
    const own = !this.#optimism && policyOf(this.#folded).name === "fixed";
    if (!this.proofs.allows(base, headSha, mode, own))
      this.violations.add("I1", `${headSha} merged onto [${base}], which no test that passed contains`);
    if (this.#host.isGreen(base) && !this.#host.isGreen(after))
      this.violations.add("I1", `the base is red after ${headSha} merged onto [${base}]`);
    if (isOneCall(attempt) && this.#host.parentOf(step.commitSha) !== this.#host.tip)
      this.violations.add("I2", `the commit of #${pr} does not stand on the base's tip`);
    this.#mergedHeads.add(headSha);
    this.#merged.push(pr);
  }

  /** Records a merge onto a base other than the expected one. The queue is informed about it. */
  mergeUntested({ pr, headSha }: MergeStep): void {
    this.#mergedHeads.add(headSha);
    this.#merged.push(pr);
  }

  /** Judges the tree that a step created. */
  checkTree({ pr, treeSha }: MergeStep, actual: string, composed: boolean): void {
    if (!composed && treeSha !== actual)
      this.violations.add("I20", `#${pr} made ${actual} of the base, but ${treeSha} was tested`);
  }

  /** Judges the final state. */
  checkEnd(state: QueueState, branches: ReadonlySet<string>): void {
    for (const { pr, state: left, reason } of state.entries.values())
      this.violations.add("I18", `#${pr} never ended: it is ${left} because of ${reason.code}`);
    for (const pr of state.tries.keys()) this.violations.add("I23", `the try of #${pr} never ended`);
    if (state.entries.size === 0 && state.runs.size + bisectionsOf(state).size > 0)
      this.violations.add("I18", "runs or bisections are left over");
    if (state.entries.size === 0 && branches.size > 0)
      this.violations.add("I18", `the test branches of ${[...branches]} were never removed`);
    if (this.#told.join() !== this.#merged.join())
      this.violations.add("I20", `merged were ${this.#merged}, but the queue says ${this.#told}`);
    this.checkFold(state);
  }

  #checkEvent(before: QueueState, { data, at }: Event): void {
    this.entries.follow(data);
    this.flakes.follow(before, data);
    if (this.isSettled) this.repetitions.follow(data);
    if (data.type === "run_concluded" && data.verdict === "failed") this.#blame(before, data.runId);
    this.#checkStatus(before, data);
    checkFreeze(this.violations, before, data, at);
    checkTryEvent(this.violations, before, data);
    if (data.type === "entry_admitted") this.proofs.target(data.pr, data.targets);
    if (data.type === "entry_targeted") this.proofs.target(data.pr, data.targets);
    if (data.type === "run_started") checkRun(this.violations, before, data.run);
    if (data.type === "merge_started") {
      if (data.attempt.base !== baseTip(before))
        this.violations.add("I2", "a merge expects another tip than the last one known");
      if (policyOf(before).name === "fixed") checkMergeOrder(this.violations, before, data.attempt);
    }
    if (data.type === "entry_moved") this.#checkMove(before, data, at);
  }

  /** A failure in known flakes is final, so any pull request in the run may be blamed for it. */
  #blame(before: QueueState, runId: string): void {
    const run = before.runs.get(runId);
    const sha = run && this.flakes.isExplained(runId) ? testedSha(run) : null;
    if (sha) this.failures.flake(this.#host.contentOf(sha));
  }

  #checkMove(before: QueueState, data: EventOf<"entry_moved">, at: number): void {
    const { pr, to, reason } = data;
    if (to === "merged" && reason.code !== "MERGED_BY_OTHERS") this.#told.push(pr);
    if (to === "tests_passed" && reason.code === "SUCCESSOR_PASSED" && policyOf(before).name === "fixed") {
      const run = before.runs.get(before.entries.get(pr)?.runId ?? "");
      if (!this.proofs.isVouched(run?.vouchedBy ?? null, pr))
        this.violations.add("I12", `#${pr} passed with a successor that does not contain it`);
    }
    if (!effectsOf(data).some((effect) => effect.type === "publish" && effect.pr === pr))
      this.violations.add("I18", `nobody is told that #${pr} is ${to}`);
    this.failures.check(before, data, at);
    const facts = this.#host.pullRequest(pr);
    const tested = { headSha: facts.headSha, baseBranch: "main" };
    const isReady = facts.mergeability === "mergeable" && withdrawalOf(tested, facts) === null;
    if (this.isSettled && reason.code === "READINESS_TIMEOUT" && isReady)
      this.violations.add("I18", `nobody noticed that #${pr} had become ready`);
  }

  /** Checks that an entry is in the line, once, exactly while a run or a bisection decides about it. */
  #checkLine({ line, entries }: QueueState): void {
    const decided = [...entries.values()].filter(
      (entry) => entry.runId !== null || entry.bisectionId !== null,
    );
    const isTheLine = decided.length === line.length && decided.every(({ pr }) => line.includes(pr));
    if (!isTheLine) this.violations.add("I8", `in the line are ${line}, but decided is about others`);
  }

  #checkStatus({ status, next, line }: QueueState, data: EventData): void {
    if (data.type === "run_started" && status !== "running")
      this.violations.add("I14", `a test started while the queue was ${status}`);
    if (data.type === "merge_started" && (status === "paused" || next?.status === "paused"))
      this.violations.add("I14", `a merge was ordered while the queue was ${status}`);
    if (data.type === "queue_configured" && data.changes.mode !== undefined && line.length > 0)
      this.violations.add("I14", `a new mode began while ${line} were in the line`);
  }
}
