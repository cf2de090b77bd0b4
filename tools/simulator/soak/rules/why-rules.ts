import type { ExplainCode, ExplainLink } from "../../../../src/engine/explain/explain-link.ts";
import { testsOneAtATime } from "../../../../src/engine/model/capacity/slots.ts";
import type { Entry } from "../../../../src/engine/model/entry.ts";
import type { QueueState } from "../../../../src/engine/model/queue.ts";
import { isActive } from "../../../../src/engine/model/test-run.ts";
import { policyOf } from "../../../../src/engine/policies/policy-of.ts";

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
