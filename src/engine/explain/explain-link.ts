import {
  mostServed,
  slotsInUse,
  slotsKeptForBase,
  testsOneAtATime,
  usableSlots,
} from "../model/capacity/slots.ts";
import { evaluateChecks } from "../model/checks/required-checks.ts";
import {
  checksToPass,
  currentChecks,
  expiryOf,
  missingUntil,
  silentChecks,
} from "../model/checks/run-checks.ts";
import type { Entry } from "../model/entry.ts";

import type { WaitCode } from "../model/order/delay.ts";
import { baseTip, type QueueState, runOf } from "../model/queue.ts";
import { commonTargets } from "../model/targets.ts";
import type { MissingChecks, RetriedChecks, TestRun } from "../model/test-run.ts";
import { missingCheckAdvice } from "../reasons/missing-check-reason.ts";
import { counted, inSentences, listed, namesOf, numbers, timeOf } from "../reasons/sentence.ts";

/** One cause in the chain that answers the question "Why is it waiting?". */
export interface ExplainLink {
  readonly code: ExplainCode;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The latest time at which the cause ends by itself, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  readonly text: string;
  /** Pull requests (`#12`), checks and links that the text is about. */
  readonly refs: readonly string[];
}

export type ExplainCode =
  | "QUEUE_NOT_RUNNING"
  | "NOTHING_MERGES"
  | "BASE_BRANCH_DIFFERS"
  | "DRAFT"
  | "MERGEABILITY_UNKNOWN"
  | "WAITING_FOR_TARGETS"
  | "NOT_MERGEABLE"
  | "PLACE_KEPT"
  | "BEHIND"
  | "EXAMINING_HEAD"
  | "HELD_BY_CONFLICT"
  | "RETRY_SCHEDULED"
  | "NO_FREE_SLOT"
  | "BATCH_FILLING"
  | "BEHIND_BISECTION"
  | "BEHIND_EXAMINATION"
  | "BASE_TESTED"
  | "NEXT"
  | "BISECTING"
  | "WAITING_FOR_SUCCESSORS"
  | "BUILDING_TEST_COMMIT"
  | "WAITING_FOR_CHECKS"
  | "CHECKS_MISSING"
  | "CHECKS_NEVER_REPORTED"
  | "WAITING_FOR_AHEAD"
  | "MERGING"
  | "FROZEN"
  | "BLOCK_FORMING"
  | "TESTED_ALONE"
  | "WAITING_FOR_VERDICT"
  | "UNDER_SUSPICION"
  | "PROVED"
  | "GROUP_TESTED"
  | WaitCode
  | "ENDED";

export function link(
  entry: Entry,
  code: ExplainCode,
  text: string,
  refs: readonly string[] = [],
): ExplainLink {
  return { code, since: entry.stateChangedAt, text, refs };
}

export function behindText(ahead: Entry, entry: Entry): string {
  const [a, b] = [ahead.targets, entry.targets];
  const common = (a && b && commonTargets(a, b, 100)) || 0;
  return common === 0 ? `behind #${ahead.pr}` : `behind #${ahead.pr} (overlap: ${counted(common, "target")})`;
}

export function checksLink(state: QueueState, entry: Entry): ExplainLink {
  const run = runOf(state, entry);
  if (run?.missing) return missingLink(state, entry, run, run.missing);
  const checks = run ? evaluateChecks(checksToPass(state, run), currentChecks(run, run.checks)) : null;
  const open = [...(checks?.pending ?? []), ...(checks?.missing ?? [])];
  const waiting = open.length === 0 ? "" : `waiting for ${open.join(", ")}`;
  const retried = run?.retried && !run.retried.refused ? retryText(run.retried) : "";
  const details = [waiting, retried].filter((part) => part !== "");
  const what = details.length === 0 ? "its tests are running" : details.join(", ");
  const text = inSentences(what, sinceText(run, open));
  const until = expiryOf(state, run);
  return { ...link(entry, "WAITING_FOR_CHECKS", text, open), ...(until === null ? {} : { until }) };
}

/** Since when checks must pass that were not required when the test began. */
function sinceText(run: TestRun | null, open: readonly string[]): string {
  const added = run?.changed?.added.filter((name) => open.includes(name)) ?? [];
  if (!run?.changed || added.length === 0) return "";
  return `required since ${timeOf(run.changed.at)}: ${added.join(", ")}`;
}

/** Why failed checks of the run were re-run. */
function retryText({ tests, newTests = [] }: RetriedChecks): string {
  const because = [
    ...(tests.length > 0 ? [`because of the known flakes ${namesOf(tests)}`] : []),
    ...(newTests.length > 0 ? [`once, because new tests failed: ${namesOf(newTests)}`] : []),
  ];
  return `re-run ${because.join(", and ")}`;
}

function missingLink(state: QueueState, entry: Entry, run: TestRun, checks: MissingChecks): ExplainLink {
  const { names, since } = checks;
  const failing = missingUntil(state.settings, run);
  const expiry = expiryOf(state, run);
  const until = failing === null ? expiry : Math.min(failing, expiry ?? failing);
  const what = "its tests have finished, but required checks have not reported";
  const text = inSentences(
    what,
    `missing on the test branch: ${names.join(", ")}`,
    missingCheckAdvice(checks),
  );
  return { ...link(entry, "CHECKS_MISSING", text, names), since, ...(until === null ? {} : { until }) };
}

/** Warns about required checks that did not report on earlier test branches; null = there is nothing to warn about. */
export function silentChecksLink(state: QueueState, entry: Entry): ExplainLink | null {
  const names = silentChecks(state);
  const isOpen = entry.state === "not_ready" || entry.state === "pending" || entry.state === "testing";
  if (names.length === 0 || !isOpen || runOf(state, entry)?.missing) return null;
  const what = "required checks did not report on earlier test branches";
  const text = inSentences(what, `missing there: ${names.join(", ")}`, missingCheckAdvice({ names }));
  return link(entry, "CHECKS_NEVER_REPORTED", text, names);
}

/** For an entry whose test can start, or waits only for the base SHA. */
export function nextLink(state: QueueState, entry: Entry): ExplainLink {
  const text =
    baseTip(state) === null
      ? `its test starts once GitHub has reported the head of ${state.branch}`
      : "its test is the next to start";
  return link(entry, "NEXT", text);
}

/** @param inUse the number of used slots and of all slots; absent = those of the strategy `line`. */
export function slotLink(
  state: QueueState,
  entry: Entry,
  inUse?: { readonly used: number; readonly of: number },
): ExplainLink {
  if (testsOneAtATime(state) || isBehindBaseTest(state)) return oneAtATimeLink(state, entry);
  const { main, bisection } = state.runIndex.active;
  const served = mostServed(state);
  if (main + bisection >= served) {
    const text = `no free testing slot: CI serves about ${counted(served - 1, "test")} at once, and ${main + bisection} are under way`;
    return link(entry, "NO_FREE_SLOT", text, numbers([...state.line]));
  }
  const { used, of } = inUse ?? slotsInUse(state);
  const text = `no free testing slot (${used} of ${of} in use)`;
  return link(entry, "NO_FREE_SLOT", text, numbers([...state.line]));
}

/** Whether a test of the base takes the only slot. */
function isBehindBaseTest(state: QueueState): boolean {
  return state.baseTest !== null && slotsKeptForBase(state) > 0 && usableSlots(state) < 2;
}

function oneAtATimeLink(state: QueueState, entry: Entry): ExplainLink {
  const cancelled = [...state.interrupted.values()];
  // Some of those that failed were removed before it was clear that everything fails.
  const failed = state.history.failing.filter((pr) => state.entries.has(pr));
  const untilPass = isBehindBaseTest(state)
    ? `the target branch ${state.branch} is tested by itself first`
    : "tests run one at a time until one passes";
  const [what, which, how] =
    cancelled.length > 0
      ? ["tests run one at a time", cancelled, "were cancelled twice in a row"]
      : [untilPass, failed, "failed"];
  const details = which.length > 0 ? [`those of ${listed(which)} ${how}`] : [];
  return link(entry, "NO_FREE_SLOT", inSentences(what, ...details), numbers(which));
}
