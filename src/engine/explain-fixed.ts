import { fillingBatch, horizon } from "./batching.ts";
import type { Bisection } from "./bisection-state.ts";
import { depend, dependsOnAny } from "./dependencies.ts";
import type { Entry } from "./entry.ts";
import { behindText, type ExplainLink, link, numbers, slotLink } from "./explain-link.ts";
import { type QueueState, remainingAhead, runOf, startsTests } from "./queue.ts";
import { renderReason } from "./render-reason.ts";
import { effective } from "./settings.ts";
import { freeSlots } from "./speculation.ts";
import { undecidedSuccessors } from "./successors.ts";

/** Policy `fixed`: what keeps an entry from being tested or merged, from the outermost cause on. */
export function fixedLinks(state: QueueState, entry: Entry): readonly ExplainLink[] {
  const bisection = state.bisections.get(entry.bisectionId ?? "");
  if (bisection) return [bisectionLink(entry, bisection)];
  return entry.state === "pending" ? waitingLinks(state, entry) : [decidedLink(state, entry)];
}

function waitingLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const next = firstAhead(state, entry);
  const behind = next === null ? [] : [link(entry, "BEHIND", behindText(next, entry), [`#${next.pr}`])];
  return [...(startsTests(state.status) ? [nextStartLink(state, entry)] : []), ...behind];
}

/** The first waiting entry that this one has to wait for; looked for no farther than tests are started. */
function firstAhead(state: QueueState, entry: Entry): Entry | null {
  let looked = 0;
  for (const pr of state.waiting.values()) {
    const other = state.entries.get(pr);
    if (pr === entry.pr || looked++ >= horizon) return null;
    if (other && depend(state, entry, other)) return other;
  }
  return null;
}

/** What keeps the next test from starting. */
function nextStartLink(state: QueueState, entry: Entry): ExplainLink {
  const bisection = bisectionAhead(state, entry);
  if (bisection) {
    const prs = numbers(bisection.members);
    return {
      ...link(entry, "BEHIND_BISECTION", `the failed batch ${prs.join(", ")} is being bisected`, prs),
      since: bisection.startedAt,
    };
  }
  const batch = freeSlots(state) > 0 ? fillingBatch(state, entry) : null;
  if (!batch) return slotLink(state, entry);
  const { members, deadline } = batch;
  const missing = effective(state.settings, "batchingMinSize") - members.length;
  const text = `its batch of ${members.length} waits for ${missing} more`;
  return {
    ...link(entry, "BATCH_FILLING", text, numbers(members.map(({ pr }) => pr))),
    until: deadline,
  };
}

function bisectionAhead(state: QueueState, entry: Entry): Bisection | undefined {
  return [...state.bisections.values()].find(({ members }) =>
    dependsOnAny(
      state,
      entry,
      members.flatMap((pr) => state.entries.get(pr) ?? []),
    ),
  );
}

function bisectionLink(entry: Entry, { members, green, red }: Bisection): ExplainLink {
  const suspects = numbers(members.slice(green, red));
  const text = `its batch failed, and the culprit is looked for among ${suspects.join(", ")}`;
  return link(entry, "BISECTING", text, suspects);
}

function decidedLink(state: QueueState, entry: Entry): ExplainLink {
  const run = runOf(state, entry);
  const ahead = (run && remainingAhead(state, run)) ?? [];
  const successors = run && entry.state === "pending_failure" ? undecidedSuccessors(state, run) : [];
  if (ahead.length === 0 && successors.length > 0) {
    const prs = numbers(successors.flatMap(({ members }) => members));
    const text = `${renderReason(entry.reason)}; waiting for ${prs.join(", ")}, whose tests contain it`;
    return link(entry, "WAITING_FOR_SUCCESSORS", text, prs);
  }
  const verdict = entry.state === "tests_passed" ? "its tests passed" : renderReason(entry.reason);
  const text = ahead.length === 0 ? verdict : `${verdict}; waiting for ${numbers(ahead).join(", ")} ahead`;
  return link(entry, "WAITING_FOR_AHEAD", text, numbers(ahead));
}
