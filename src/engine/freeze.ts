import type { Decision } from "./decision.ts";
import { type Entry, skipsTheLine } from "./entry.ts";
import type { Observation } from "./input.ts";
import { merges, type QueueState } from "./queue.ts";
import { isMergeCalled, recallMerge } from "./recall-merge.ts";
import { inSentences } from "./sentence.ts";

/** A time in which only urgent pull requests merge. Tests go on. */
export interface Freeze {
  /** Why, in the words of the repository file. */
  readonly reason: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  /** When merging goes on, in milliseconds since the epoch. */
  readonly until: number;
  /** The IANA name of the zone in which people read `until`. */
  readonly timeZone: string;
}

/** So many pull requests at most are shown that a freeze begins or ends. */
const maxShown = 200;

/** Whether an entry's merge may be ordered now. Every place that orders a merge asks this. */
export function mayMerge(state: Pick<QueueState, "status" | "next" | "freeze">, entry: Entry): boolean {
  return merges(state) && !isFrozen(state, entry);
}

/** Whether a freeze keeps an entry from merging. */
export function isFrozen({ freeze }: Pick<QueueState, "freeze">, entry: Entry): boolean {
  return freeze !== null && !skipsTheLine(entry);
}

/** Begins, changes or ends the freeze. One that is over changes nothing: the queue ends a freeze by itself. */
export function observeFreeze(
  decision: Decision,
  { freeze }: Extract<Observation, { type: "freeze_observed" }>,
): void {
  const { state, context } = decision;
  if (freeze !== null && freeze.until <= context.now) return;
  if (JSON.stringify(freeze) === JSON.stringify(state.freeze)) return;
  change(decision, freeze);
  recallForbidden(decision);
}

/** Ends a freeze whose time is over. */
export function endFreeze(decision: Decision): void {
  const { freeze } = decision.state;
  if (freeze !== null && freeze.until <= decision.context.now) change(decision, null);
}

/** Calls off the ordered merge of what may not merge any more, as far as GitHub was not asked for it. */
export function recallForbidden(decision: Decision): void {
  const { state } = decision;
  const isForbidden = state.merge?.steps.some(({ pr }) => {
    const entry = state.entries.get(pr);
    return entry !== undefined && !isMergeCalled(state, pr) && !mayMerge(state, entry);
  });
  if (isForbidden) recallMerge(decision);
}

function change(decision: Decision, freeze: Freeze | null): void {
  const { entries } = decision.state;
  const shown = [...entries.values()].filter((entry) => entry.state !== "not_ready" && !skipsTheLine(entry));
  const prs = shown.slice(0, maxShown).map(({ pr }) => pr);
  decision.record({ type: "freeze_changed", freeze, prs });
}

/** As a clause: `nothing but urgent pull requests merges into main until Mon, 30 Nov 2026, 08:00 (Europe/Berlin): Release weekend`. */
export function renderFreeze(freeze: Freeze, branch: string): string {
  const rule = `until then, only urgent pull requests merge into ${branch}`;
  return inSentences(`frozen until ${renderEnd(freeze)}`, `the reason: ${freeze.reason}`, rule);
}

/** The end of a freeze as a clock in its time zone shows it, with the zone's name. */
export function renderEnd({ until, timeZone }: Freeze): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return `${format.format(until)} (${timeZone})`;
}
