import { adaptiveLinks, knownLinks } from "./adaptive/explain-adaptive.ts";
import { type Entry, isTerminal } from "./entry.ts";
import { fixedLinks } from "./explain-fixed.ts";
import { checksLink, type ExplainLink, link, numbers, silentChecksLink } from "./explain-link.ts";
import { isFrozen, renderFreeze } from "./freeze.ts";
import { renderObjection } from "./objection.ts";
import { placeKeptUntil } from "./place.ts";
import { type QueueState, runOf, startsTests } from "./queue.ts";
import { renderReason } from "./render-reason.ts";
import { isBeingMerged } from "./run-end.ts";
import { effective } from "./settings.ts";
import { usesBeliefs } from "./strategy.ts";
import { type OrderedWork, renderWait } from "./wait.ts";

/** Why a pull request is where it is, from the outermost cause to the pull request itself. */
export function explain(state: QueueState, entry: Entry): readonly ExplainLink[] {
  if (isTerminal(entry.state)) return [link(entry, "ENDED", renderReason(entry.reason))];
  const silent = silentChecksLink(state, entry);
  return [
    ...queueLinks(state, entry),
    ...frozenLinks(state, entry),
    ...(silent ? [silent] : []),
    ...entryLinks(state, entry),
  ];
}

/** What has passed waits for nothing but the end of the freeze: whatever is ahead of it does the same. */
function frozenLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const { freeze } = state;
  const waits = entry.state !== "not_ready" && isFrozen(state, entry) && !isBeingMerged(state, entry.pr);
  if (freeze === null || !waits) return [];
  const told = entry.state === "tests_passed" ? "its tests passed, and " : "";
  const text = `${told}${renderFreeze(freeze, state.branch)}`;
  return [{ ...link(entry, "FROZEN", text), since: freeze.since, until: freeze.until }];
}

function queueLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const waits = entry.state === "pending" ? !startsTests(state.status) : state.status === "paused";
  if (!waits || entry.state === "not_ready") return [];
  const text = `the queue is ${state.status.replace("_", " ")}: ${renderReason(state.statusReason)}`;
  return [{ ...link(entry, "QUEUE_NOT_RUNNING", text), since: state.statusSince }];
}

function entryLinks(state: QueueState, entry: Entry): readonly ExplainLink[] {
  if (entry.state === "not_ready") return readinessLinks(state, entry);
  if (isBeingMerged(state, entry.pr)) return [orderedLink(state, entry, "merge")];
  if (entry.state === "tests_passed" && isFrozen(state, entry)) return [];
  const obvious = obviousLink(state, entry);
  if (usesBeliefs(state))
    return [...(obvious ? [obvious] : adaptiveLinks(state, entry)), ...knownLinks(state, entry)];
  return obvious ? [obvious] : fixedLinks(state, entry);
}

function readinessLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const { readiness } = entry;
  const links: ExplainLink[] = [];
  if (!readiness.baseBranchMatches) {
    const text = `its base branch is ${entry.baseBranch}, but the queue merges into ${state.branch}`;
    links.push(link(entry, "BASE_BRANCH_DIFFERS", text));
  }
  if (readiness.draft) links.push(link(entry, "DRAFT", "it is a draft"));
  if (state.settings.mode === "parallel" && entry.targets === null) {
    links.push(link(entry, "WAITING_FOR_TARGETS", "nobody has said yet which targets its head impacts"));
  }
  if (readiness.mergeability === "in_progress" || readiness.mergeability === "unspecified") {
    links.push(link(entry, "MERGEABILITY_UNKNOWN", "GitHub has not said yet whether it is mergeable"));
  }
  const blockers = [
    ...(readiness.objections ?? []).map((objection) => renderObjection(objection)),
    ...readiness.blockers,
  ];
  if (readiness.mergeability === "not_mergeable" || blockers.length > 0) {
    const text = blockers.join("; ") || "GitHub says that it is not mergeable";
    links.push(link(entry, "NOT_MERGEABLE", text, blockers));
  }
  return [...placeLinks(state, entry), ...links];
}

/** Whether it still has the place that it had before reviewers took it out of the line. */
function placeLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const until = placeKeptUntil(state.settings, entry);
  if (until === null) return [];
  const minutes = effective(state.settings, "reviewGraceMinutes");
  const text = `it left the line: ${renderReason(entry.reason)}. It keeps its place if it is ready again within ${minutes} minutes`;
  return minutes === 0 ? [] : [{ ...link(entry, "PLACE_KEPT", text), until }];
}

/** What holds it up with either policy; null when it is the policy that does. */
function obviousLink(state: QueueState, entry: Entry): ExplainLink | null {
  if (entry.bisectionId !== null) return null;
  if (entry.state !== "pending" && entry.state !== "testing") return null;
  const run = runOf(state, entry);
  if (run?.state === "building") return orderedLink(state, entry, "build", [run.id]);
  if (run?.state === "running") return checksLink(state, entry);
  if (entry.directOnto !== undefined) {
    const text = "its head is looked at: if it is up to date and has passed, it merges without another test";
    return link(entry, "EXAMINING_HEAD", text);
  }
  if (entry.retryAt !== null)
    return { ...link(entry, "RETRY_SCHEDULED", renderReason(entry.reason)), until: entry.retryAt };
  if (entry.heldBehind.length > 0)
    return link(entry, "HELD_BY_CONFLICT", renderReason(entry.reason), numbers(entry.heldBehind));
  return null;
}

/** What is being done of what the queue has ordered, or why it has to wait. */
function orderedLink(
  state: QueueState,
  entry: Entry,
  work: OrderedWork,
  refs: readonly string[] = [],
): ExplainLink {
  const wait = state.waits[work];
  if (wait) return { ...link(entry, wait.code, renderWait(work, wait), refs), until: wait.until };
  return work === "merge"
    ? link(entry, "MERGING", "it is being merged", refs)
    : link(entry, "BUILDING_TEST_COMMIT", "its test commit is being made", refs);
}
