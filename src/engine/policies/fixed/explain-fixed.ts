import { behindText, type ExplainLink, link, nextLink, slotLink } from "../../explain/explain-link.ts";
import { freeSlots } from "../../model/capacity/slots.ts";
import type { Entry } from "../../model/entry.ts";
import { depend, dependsOnAny, remainingAhead } from "../../model/order/dependencies.ts";
import { type QueueState, runOf, startsTests } from "../../model/queue.ts";
import { settingInUse } from "../../model/settings.ts";
import { renderReason } from "../../reasons/render-reason.ts";
import { inSentences, listed, numbers } from "../../reasons/sentence.ts";
import { fillingBatch, horizon } from "./batching.ts";
import { type Bisection, bisectionOf, bisectionsOf } from "./fixed-fold.ts";
import { undecidedSuccessors } from "./verdicts.ts";

/** Policy `fixed`: why an entry is not tested or merged, from the outermost cause on. */
export function fixedLinks(state: QueueState, entry: Entry, now: number): readonly ExplainLink[] {
  const bisection = bisectionOf(state, entry);
  if (bisection) return [bisectionLink(entry, bisection)];
  return entry.state === "pending" ? waitingLinks(state, entry, now) : [decidedLink(state, entry)];
}

function waitingLinks(state: QueueState, entry: Entry, now: number): ExplainLink[] {
  const next = firstAhead(state, entry);
  const behind = next === null ? [] : [link(entry, "BEHIND", behindText(next, entry), [`#${next.pr}`])];
  const start = startsTests(state.status) ? nextStartLink(state, entry, now) : null;
  if (start) return [start, ...behind];
  return behind.length === 0 && startsTests(state.status) ? [nextLink(state, entry)] : behind;
}

/** Returns the first waiting entry that this one has to wait for. Searches only the entries that are considered for a start. */
function firstAhead(state: QueueState, entry: Entry): Entry | null {
  let looked = 0;
  for (const pr of state.waiting.values()) {
    const other = state.entries.get(pr);
    if (pr === entry.pr || looked++ >= horizon) return null;
    if (other && depend(state, entry, other)) return other;
  }
  return null;
}

/** Why the next test does not start; null if nothing prevents it. */
function nextStartLink(state: QueueState, entry: Entry, now: number): ExplainLink | null {
  const bisection = bisectionAhead(state, entry);
  if (bisection) {
    const text = `the failed batch of ${listed(bisection.members)} is being bisected`;
    return {
      ...link(entry, "BEHIND_BISECTION", text, numbers(bisection.members)),
      since: bisection.startedAt,
    };
  }
  const examined = [...state.direct.values()].find((pr) =>
    dependsOnAny(state, entry, entriesOf(state, [pr])),
  );
  if (examined !== undefined) {
    const text = `waits for #${examined} ahead, which may merge without a test`;
    return link(entry, "BEHIND_EXAMINATION", text, [`#${examined}`]);
  }
  if (freeSlots(state) === 0) return slotLink(state, entry);
  const batch = fillingBatch(state, entry);
  if (!batch || batch.deadline <= now) return null;
  const { members, deadline } = batch;
  const missing = settingInUse(state.settings, "batchingMinSize") - members.length;
  const text = `its batch of ${members.length} waits for ${missing} more`;
  return {
    ...link(entry, "BATCH_FILLING", text, numbers(members.map(({ pr }) => pr))),
    until: deadline,
  };
}

function bisectionAhead(state: QueueState, entry: Entry): Bisection | undefined {
  return [...bisectionsOf(state).values()].find(({ members }) =>
    dependsOnAny(state, entry, entriesOf(state, members)),
  );
}

function entriesOf({ entries }: QueueState, prs: readonly number[]): Entry[] {
  return prs.flatMap((pr) => entries.get(pr) ?? []);
}

function bisectionLink(entry: Entry, { members, green, red }: Bisection): ExplainLink {
  const suspects = members.slice(green, red);
  const text = inSentences("its batch failed", `the culprit is among ${listed(suspects)}`);
  return link(entry, "BISECTING", text, numbers(suspects));
}

function decidedLink(state: QueueState, entry: Entry): ExplainLink {
  const run = runOf(state, entry);
  const ahead = (run && remainingAhead(state, run)) ?? [];
  const successors = run && entry.state === "pending_failure" ? undecidedSuccessors(state, run) : [];
  if (ahead.length === 0 && successors.length > 0) {
    const prs = successors.flatMap(({ members }) => members);
    const text = `it failed, and it waits for ${listed(prs)}, whose tests contain it`;
    return link(entry, "WAITING_FOR_SUCCESSORS", inSentences(text, renderReason(entry.reason)), numbers(prs));
  }
  const waiting = ahead.length === 0 ? "" : `, and it waits for ${listed(ahead)} ahead`;
  const text =
    entry.state === "tests_passed"
      ? `its tests passed${waiting}`
      : inSentences(`it failed${waiting}`, renderReason(entry.reason));
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(ahead));
}
