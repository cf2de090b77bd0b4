import { decide } from "../../engine/decide.ts";
import { evolve } from "../../engine/evolve.ts";
import { forecast } from "../../engine/forecast/forecast.ts";
import type { Actor } from "../../engine/model/actor.ts";
import { medianOf } from "../../engine/model/capacity/history.ts";
import type { Priority } from "../../engine/model/entry.ts";
import type { Command, Context } from "../../engine/model/input.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { Refusal } from "../../engine/model/refusal.ts";
import { isActive, type TestRun } from "../../engine/model/test-run.ts";

export type PricedAction =
  | Extract<Command, { type: "cancel" | "restart" | "configure" }>
  | {
      readonly type: "prioritise";
      readonly pr: number;
      readonly priority: Priority;
      readonly actor: Actor;
    };

/** What actions would do to a queue in its current state. Lists of pull requests are sorted by number. */
export interface Price {
  /** The number of tests that are discarded and have to run again. */
  readonly restarts: number;
  /**
   * How long these tests take in CI: the usual duration in this queue, or, if no test has ended in it, the time that they have run so far.
   */
  readonly restartsMs: number;
  readonly testedAgain: readonly number[];
  /** The pull requests whose tests in progress stop and are not needed any more. */
  readonly stopped: readonly number[];
  /** The pull requests whose tests start at once, though they were not tested before. */
  readonly started: readonly number[];
  /** Other pull requests that will probably merge at another time; positive = later. */
  readonly moved: readonly { readonly pr: number; readonly byMs: number }[];
  /** Actions that the queue refuses; null = not about one pull request. */
  readonly refusals: readonly { readonly pr: number | null; readonly refusal: Refusal }[];
}

/** Smaller changes are not shown, because forecasts are not accurate enough. */
const leastMoveMs = 2 * 60_000;

/** Lets the engine decide actions one after the other, and compares the states before and after. Nothing is carried out. */
export function priceActions(before: QueueState, actions: readonly PricedAction[], now: number): Price {
  let ids = 0;
  const context: Context = { now, newId: () => `priced-${++ids}` };
  const refusals: Price["refusals"][number][] = [];
  let after = before;
  for (const action of actions) {
    const decided = tryOut(after, action, context);
    if ("code" in decided) refusals.push({ pr: "pr" in action ? action.pr : null, refusal: decided });
    else after = decided;
  }
  const lost = [...before.runs.values()].filter(({ id }) => !after.runs.has(id));
  const isTestedAgain = (pr: number) => {
    const entry = after.entries.get(pr);
    return entry !== undefined && (entry.runId === null || !before.runs.has(entry.runId));
  };
  const again = lost.filter(({ hedge, members }) => !hedge && members.some(isTestedAgain));
  const stopped = lost.filter((run) => isActive(run) && !again.includes(run));
  const begun = [...after.runs.values()].filter(({ id }) => !before.runs.has(id));
  const testMs = medianOf(before.history.testMs);
  const testedAgain = membersOf(again).filter(isTestedAgain);
  return {
    restarts: again.length,
    restartsMs: again.reduce((sum, { startedAt }) => sum + (testMs ?? now - startedAt), 0),
    testedAgain,
    stopped: membersOf(stopped).filter((pr) => !testedAgain.includes(pr)),
    started: membersOf(begun).filter((pr) => before.entries.get(pr)?.runId === null),
    moved: movedForecasts(before, after, actions, now),
    refusals,
  };
}

function tryOut(state: QueueState, action: PricedAction, context: Context): QueueState | Refusal {
  if (action.type !== "prioritise") {
    const { refusal, state: after } = decide(state, action, context);
    return refusal ?? after;
  }
  // The real command reads the pull request from GitHub. The effect of the new priority does not depend on that.
  const { pr, priority, actor } = action;
  const entry = state.entries.get(pr);
  if (!entry) return { code: "NOT_QUEUED", pr };
  const data = { type: "entry_revised", pr, priority, noBatch: entry.noBatch, actor } as const;
  const revised = evolve(state, { seq: state.seq + 1, at: context.now, data });
  return decide(revised, { type: "clock" }, context).state;
}

function membersOf(runs: readonly TestRun[]): number[] {
  return [...new Set(runs.flatMap(({ members }) => members))].sort((a, b) => a - b);
}

function movedForecasts(
  before: QueueState,
  after: QueueState,
  actions: readonly PricedAction[],
  now: number,
): Price["moved"] {
  if (before.history.testMs.length === 0) return [];
  const acted = new Set(actions.map((action) => ("pr" in action ? action.pr : null)));
  const [earlier, later] = [forecast(before, now), forecast(after, now)];
  const moves = [...later].flatMap(([pr, { p50 }]) => {
    const was = earlier.get(pr);
    return was && !acted.has(pr) ? [{ pr, byMs: Math.round(p50 - was.p50) }] : [];
  });
  return moves.filter(({ byMs }) => Math.abs(byMs) >= leastMoveMs).sort((a, b) => a.pr - b.pr);
}

/** The price in sentences. */
export function renderPrice({
  restarts,
  restartsMs,
  testedAgain,
  stopped,
  started,
  moved,
}: Price): readonly string[] {
  const sentences: string[] = [];
  if (restarts > 0) {
    const [tests, are] = [
      restarts === 1 ? "1 test" : `${restarts} tests`,
      testedAgain.length === 1 ? "is" : "are",
    ];
    sentences.push(
      `Restarts ${tests} (about ${minutes(restartsMs)} of CI): ${namePullRequests(testedAgain)} ${are} tested again.`,
    );
  }
  if (stopped.length > 0) sentences.push(`Stops the tests of ${namePullRequests(stopped)}.`);
  if (sentences.length === 0) sentences.push("Changes no running test.");
  if (started.length > 0) sentences.push(`Starts the tests of ${namePullRequests(started)}.`);
  for (const [word, moves] of [
    ["later", moved.filter(({ byMs }) => byMs > 0)],
    ["sooner", moved.filter(({ byMs }) => byMs < 0)],
  ] as const) {
    if (moves.length === 0) continue;
    const most = Math.max(...moves.map(({ byMs }) => Math.abs(byMs)));
    const prs = namePullRequests(moves.map(({ pr }) => pr));
    sentences.push(`Probably, ${prs} will merge up to ${minutes(most)} ${word}.`);
  }
  return sentences;
}

function minutes(ms: number): string {
  const count = Math.max(1, Math.round(ms / 60_000));
  return count === 1 ? "1 minute" : `${count} minutes`;
}

const mostNamed = 8;

/** The numbers of pull requests as text: `#1, #2 and #3`. */
export function namePullRequests(prs: readonly number[]): string {
  const isCut = prs.length > mostNamed + 1;
  const names = (isCut ? prs.slice(0, mostNamed) : prs).map((pr) => `#${pr}`);
  const last = isCut ? `${prs.length - mostNamed} others` : (names.pop() ?? "");
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`;
}
