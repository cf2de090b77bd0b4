import type { ExplainCode, ExplainLink } from "../../../../src/engine/explain/explain-link.ts";
import { testsOneAtATime } from "../../../../src/engine/model/capacity/slots.ts";
import type { Entry } from "../../../../src/engine/model/entry.ts";
import type { Event, EventData, EventOf } from "../../../../src/engine/model/event.ts";
import type { QueueChanges } from "../../../../src/engine/model/input.ts";
import { baseTip, type QueueState } from "../../../../src/engine/model/queue.ts";
import { isActive } from "../../../../src/engine/model/test-run.ts";
import { policyOf } from "../../../../src/engine/policies/policy-of.ts";
import type { Violations } from "../../../../src/replay/engine-run/watches.ts";
import type { CodeHost, Content } from "../code-host.ts";

type Status = NonNullable<QueueChanges["status"]>;

/** Reasons for a pause that a person ends. */
const alarms: ReadonlySet<string> = new Set(["TREE_MISMATCH", "MERGING_NOT_ALLOWED", "BUILDING_NOT_ALLOWED"]);

/**
 * Knows the status that a queue must have: the one that a person has set or an alarm has caused, and `paused` while an obstacle
 * stops the queue.
 */
export class StatusWatch {
  readonly #violations: Violations;
  #wanted: Status = "running";
  #isObstructed = false;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** A person has set the status. A queue that is set to `running` tries, and meets the obstacle again. */
  set(status: Status): void {
    this.#wanted = status;
    this.#isObstructed = false;
  }

  /** The queue has heard whether there is an obstacle. */
  receive(isObstructed: boolean): void {
    this.#isObstructed = isObstructed;
  }

  /** Notes a pause by an alarm. */
  note({ data }: Event): void {
    if (data.type === "queue_status_changed" && alarms.has(data.reason.code)) this.#wanted = "paused";
  }

  check({ status, next, deleted }: QueueState): void {
    const found = status === "switching_modes" ? next?.status : status;
    const right = this.#isObstructed ? "paused" : this.#wanted;
    if (!deleted && found !== right)
      this.#violations.add("I26", `the queue is ${found}, but must be ${right}`);
  }
}

/**
 * More than the largest number of tests of one pull request in 60,000 scenarios. It is large because everything that failed is tested a
 * dozen times in the two hours of an outage, each time in several combinations. Decisions that undo each other lead to more.
 */
const mostRuns = 100;

/** Counts the tests of each pull request after the last outside event (push, cancellation, submission). */
export class RepetitionWatch {
  readonly #violations: Violations;
  readonly #runs = new Map<number, number>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  follow(data: EventData): void {
    if (data.type !== "run_started") return;
    for (const pr of data.run.members) {
      const runs = (this.#runs.get(pr) ?? 0) + 1;
      this.#runs.set(pr, runs);
      if (runs > mostRuns)
        this.#violations.add("I26", `#${pr} was tested ${runs} times, and nothing happened outside`);
    }
  }
}

/** Codes of explanations that name only pull requests in the queue. */
const namesLiving: ReadonlySet<ExplainCode> = new Set([
  "BEHIND",
  "HELD_BY_CONFLICT",
  "NO_FREE_SLOT",
  "BATCH_FILLING",
  "BEHIND_BISECTION",
  "BISECTING",
  "WAITING_FOR_SUCCESSORS",
  "WAITING_FOR_AHEAD",
  "WAITING_FOR_VERDICT",
  "PROVED",
  "UNDER_SUSPICION",
  "GROUP_TESTED",
]);

/** Codes of explanations that name only pull requests that are being tested. */
const namesTested: ReadonlySet<ExplainCode> = new Set(["WAITING_FOR_SUCCESSORS", "WAITING_FOR_VERDICT"]);

/** Maximum length in characters. */
const longestSentence = 80;

/** Returns the first false statement in an explanation of why an entry waits; null = all are true. */
export function findUntruth(
  state: QueueState,
  entry: Entry,
  links: readonly ExplainLink[],
  now: number,
): string | null {
  for (const link of links) {
    const untruth = untruthOf(state, entry, link, now);
    if (untruth !== null) return `#${entry.pr} is told ${link.code}, "${link.text}": ${untruth}`;
  }
  return null;
}

function untruthOf(state: QueueState, entry: Entry, { code, until, refs, text }: ExplainLink, now: number) {
  const [sentence = ""] = text.split(". ");
  if (sentence.length > longestSentence) return "its first sentence is too long";
  if (until !== undefined && until < now) return `it ended ${now - until} ms ago`;
  if (code === "NO_FREE_SLOT" && hasFreeSlot(state)) return "a slot is free";
  const prs = refs.flatMap((ref) => (ref.startsWith("#") ? [Number(ref.slice(1))] : []));
  if (new Set(prs).size < prs.length) return "it names one of them twice";
  const gone = namesLiving.has(code) ? prs.find((pr) => !state.entries.has(pr)) : undefined;
  if (gone !== undefined) return `#${gone} is not in the queue`;
  if (!namesTested.has(code)) return null;
  const idle = prs.find((pr) => pr === entry.pr || !isTested(state, pr));
  return idle === undefined ? null : `#${idle} is not being tested`;
}

function hasFreeSlot(state: QueueState): boolean {
  if (testsOneAtATime(state)) return false;
  return policyOf(state).freeSlots(state) > 0;
}

function isTested({ runs }: QueueState, pr: number): boolean {
  return [...runs.values()].some((run) => isActive(run) && run.members.includes(pr));
}

/** Names of the checks of a test run that have not passed yet. */
interface CheckNames {
  readonly missing: readonly string[];
  readonly pending: readonly string[];
}

/** Judges whether failures were justified. */
export class FailureWatch {
  readonly #violations: Violations;
  readonly #host: CodeHost;
  /** Heads that were in a run that failed without cause. */
  readonly #unlucky = new Set<string>();
  readonly #open = new Map<string, CheckNames>();

  constructor(violations: Violations, host: CodeHost) {
    this.#violations = violations;
    this.#host = host;
  }

  /** Records a run that failed without cause. Any head in it may be blamed wrongly. */
  flake(content: Content): void {
    for (const item of content) this.#unlucky.add(item);
  }

  /** Records the open checks that the queue knows of a run. */
  report(runId: string, open: CheckNames): void {
    this.#open.set(runId, open);
  }

  check(before: QueueState, data: EventOf<"entry_moved">, at: number): void {
    const { pr, to, reason } = data;
    const item = before.entries.get(pr)?.headSha ?? "";
    const tip = baseTip(before) ?? "";
    const isLine = policyOf(before).name === "fixed";
    if (to === "failed" && reason.code === "CHECKS_FAILED" && !this.#unlucky.has(item)) {
      const content = [...this.#testedUnder(before, pr, tip), item];
      if (this.#host.isGreen(content)) this.#violations.add("I13", `#${pr} failed, but [${content}] is good`);
    }
    if (
      to === "failed" &&
      (reason.code === "MERGE_CONFLICT_WITH_BASE" || reason.code === "EMPTY_PULL_REQUEST")
    ) {
      const { kind } = this.#host.build({ id: "", base: tip, ahead: [], members: [pr] }, () => item);
      if (kind === "built")
        this.#violations.add("I13", `#${pr} failed because of ${reason.code}, but can be built`);
    }
    if (to === "pending_failure" && reason.code === "TESTING_TIMEOUT" && isLine)
      this.#checkTimeout(before, data, at);
  }

  /** A retested pull request is judged on the base of its test, so later merges do not save it. */
  #testedUnder(before: QueueState, pr: number, tip: string): Content {
    const entry = before.entries.get(pr);
    const run = before.runs.get(entry?.runId ?? "");
    return this.#host.contentOf(entry?.doubted !== undefined && run?.parentSha ? run.parentSha : tip);
  }

  #checkTimeout(before: QueueState, { pr, reason }: EventOf<"entry_moved">, at: number): void {
    const run = before.runs.get(before.entries.get(pr)?.runId ?? "");
    if (!run || reason.code !== "TESTING_TIMEOUT") return;
    const open = this.#open.get(run.id) ?? { missing: run.required.map(({ name }) => name), pending: [] };
    const names = ({ missing, pending }: CheckNames) =>
      JSON.stringify([missing.toSorted(), pending.toSorted()]);
    // What is open after a change of the required checks is known only to the queue.
    if (!run.changed && names(open) !== names(reason))
      this.#violations.add(
        "I13",
        `the time-out of #${pr} names ${names(reason)}, but ${names(open)} is open`,
      );
    if (run.deadline === null || at < run.deadline)
      this.#violations.add("I13", `#${pr} timed out before its deadline`);
  }
}
