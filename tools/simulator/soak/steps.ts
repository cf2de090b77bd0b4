import { nextDeadline } from "../../../src/engine/deadline.ts";
import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import { type Effect, effectsOf } from "../../../src/engine/model/effect.ts";
import type { Event } from "../../../src/engine/model/event.ts";
import type { Input, Observation, TestCommitOutcome } from "../../../src/engine/model/input.ts";
import type { Freeze } from "../../../src/engine/model/order/delay.ts";
import { noQueue, type QueueState } from "../../../src/engine/model/queue.ts";
import type { Refusal } from "../../../src/engine/model/refusal.ts";
import type { Targets } from "../../../src/engine/model/targets.ts";
import { type TestRun, testedSha } from "../../../src/engine/model/test-run.ts";
import type { Try } from "../../../src/engine/model/tries/try.ts";
import type { Objection } from "../../../src/engine/reasons/objection.ts";
import { deserializeState, serializeState } from "../../../src/engine/snapshot.ts";
import { type Decide, TraceHash } from "../../../src/replay/engine-run/queue-driver.ts";
import type { CodeHost } from "./code-host.ts";
import type { Judge } from "./judge.ts";

/** Performs the next step of the test of the base at the code host or in CI. Returns false if there is none. */
export function advanceBaseTest(queue: QueueUnderSoak, host: CodeHost, n: number): boolean {
  const run = queue.state.baseTest;
  if (!run) return false;
  if (run.state === "building")
    queue.takeTwice({ type: "test_commit_concluded", runId: run.id, outcome: buildBase(host, run, n) });
  else queue.takeTwice({ type: "checks_observed", runId: run.id, checks: reportOnBase(host, run, n) });
  return true;
}

function buildBase(host: CodeHost, run: TestRun, n: number): TestCommitOutcome {
  if (n % 11 === 3) return { kind: "infrastructure_error", message: "out of order" };
  return n % 11 === 5 ? { kind: "no_required_checks" } : host.buildBase(run);
}

/** In some cases CI has not finished, is cancelled, or fails although the base is good. */
function reportOnBase(host: CodeHost, run: TestRun, n: number): CheckFact[] {
  const isGood = host.isGreen(host.contentOf(testedSha(run) ?? run.base));
  const conclusion = isGood && n % 7 !== 2 ? "success" : n % 7 === 4 ? "cancelled" : "failure";
  if (n % 7 === 6) return [check("build", null)];
  return [check("build", conclusion), check("lint", "success")];
}

function check(name: string, conclusion: string | null): CheckFact {
  const status = conclusion === null ? "in_progress" : "completed";
  return { kind: "check_run", name, appId: null, suiteId: 1, id: 1, status, conclusion, url: null };
}

const alice = { kind: "user", name: "alice" } as const;

/** Requests a try, as a person does. */
export function askForTry(queue: QueueUnderSoak, host: CodeHost, pr: number): void {
  const pullRequest = host.pullRequest(pr);
  const heads = { expectedHead: null, seenHead: pullRequest.headSha };
  queue.take({ type: "try", pullRequest, ...heads, actor: alice, via: "api" });
}

export function cancelTry(queue: QueueUnderSoak, pr: number): void {
  queue.take({ type: "cancel_try", pr, actor: alice, via: "api" });
}

/** Performs the next step of a try at the code host or in CI, if there is one. */
export function advanceTry(queue: QueueUnderSoak, host: CodeHost, n: number): void {
  const started = [...queue.state.tries.values()].filter(({ run }) => run !== null);
  const tried = started[n % Math.max(1, started.length)];
  const observation =
    tried && (tried.run?.state === "building" ? buildTry(host, tried, n) : reportOnTry(host, tried));
  if (observation) queue.takeTwice(observation);
}

function buildTry(host: CodeHost, { run, headSha }: Try, n: number): Observation | null {
  if (!run) return null;
  const outcome =
    n % 7 === 3
      ? ({ kind: "infrastructure_error", message: "out of order" } as const)
      : host.build(run, () => headSha);
  return { type: "test_commit_concluded", runId: run.id, outcome };
}

function reportOnTry(host: CodeHost, { run }: Try): Observation | null {
  const sha = run && testedSha(run);
  if (!sha) return null;
  const conclusion = host.isGreen(host.contentOf(sha)) ? "success" : "failure";
  return {
    type: "checks_observed",
    runId: run.id,
    checks: [check("build", conclusion), check("lint", "success")],
  };
}

/** Possible objections of reviewers and descriptions to a pull request; often none. */
export const objections: readonly (readonly Objection[])[] = [
  [],
  [{ code: "REVIEW_REQUIRED" }],
  [],
  [
    { code: "CHANGES_REQUESTED", by: ["bob"] },
    { code: "CONVERSATIONS_OPEN", count: 2 },
  ],
  [],
  [{ code: "CONVERSATIONS_OPEN", count: 1 }],
  [],
  [{ code: "DEPENDS_ON", open: [1, 2], closed: [], elsewhere: [], absent: [], cycle: [] }],
];

/** Returns a freeze that begins now. The drawn number determines its end, minutes or hours from now. */
export function freezeFrom(now: number, n: number): Freeze {
  const until = now + (1 + (n % 9) ** 2) * 10 * 60_000;
  return { reason: `Freeze ${n}`, since: now, until, timeZone: "UTC" };
}

/** A queue with its clock. Every decision is judged and traced. */
export class QueueUnderSoak {
  /** In milliseconds since the epoch. */
  now = Date.UTC(2026, 0, 5);
  events = 0;
  /** Every kind and every reason of the events that occurred. */
  readonly reached = new Set<string>();
  state: QueueState = noQueue;
  readonly #decide: Decide;
  readonly #judge: Judge;
  readonly #tell: (event: Event, effects: readonly Effect[]) => void;
  readonly #trace = new TraceHash();
  /** The targets in the log, by the number of the event. */
  readonly #targets = new Map<number, Targets>();
  #ids = 0;

  /** @param tell called with every event and its effects */
  constructor(decideWith: Decide, judge: Judge, tell: (event: Event, effects: readonly Effect[]) => void) {
    this.#decide = decideWith;
    this.#judge = judge;
    this.#tell = tell;
  }

  get deadline(): number | null {
    return nextDeadline(this.state);
  }

  get trace(): string {
    return this.#trace.digest();
  }

  take(input: Input): Refusal | null {
    const decided = this.#ask(input);
    this.state = decided.state;
    this.events += decided.events.length;
    this.#judge.check(decided, this.now);
    for (const event of decided.events) {
      this.reached.add(event.data.type);
      if ("reason" in event.data) this.reached.add(event.data.reason.code);
      if ("targets" in event.data && event.data.targets) this.#targets.set(event.seq, event.data.targets);
      this.#trace.add(JSON.stringify(event));
      this.#tell(event, effectsOf(event.data));
    }
    return decided.refusal;
  }

  /** Makes an observation twice. The second one must not change anything. */
  takeTwice(observation: Observation): void {
    this.take(observation);
    this.echo(observation);
  }

  /** Makes an observation without news. Effects of the time alone are handled before it. */
  echo(observation: Observation): void {
    this.take({ type: "clock" });
    const decided = this.#ask(observation);
    this.#judge.checkSilence(observation.type, decided);
  }

  /** Continues from a snapshot, as after a restart. */
  crash(): void {
    this.state = deserializeState(serializeState(this.state), this.#targets);
    this.#judge.checkFold(this.state);
  }

  #ask(input: Input) {
    const newId = () => `id-${++this.#ids}`;
    return this.#decide(this.state, input, { now: this.now, newId });
  }
}

/** Whether a late observation is about something that has ended since. */
export function isObsolete(late: Observation, { state }: QueueUnderSoak): boolean {
  switch (late.type) {
    case "test_commit_concluded":
      return state.runs.get(late.runId)?.state !== "building";
    case "checks_observed":
      return state.runs.get(late.runId)?.state !== "running";
    case "base_observed":
      return late.asOfSeq < state.baseSeq;
    case "merge_calling":
    case "merge_not_done":
    case "merge_concluded":
      return state.merge?.id !== late.attemptId;
    default:
      return false;
  }
}
