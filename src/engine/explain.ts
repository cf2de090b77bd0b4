import { fillingBatch, horizon } from "./batching.ts";
import type { Bisection } from "./bisection-state.ts";
import { depend, dependsOnAny } from "./dependencies.ts";
import { type Entry, isTerminal } from "./entry.ts";
import { type QueueState, remainingAhead, runOf, startsTests } from "./queue.ts";
import { renderReason } from "./reason.ts";
import { evaluateChecks } from "./required-checks.ts";
import { effective } from "./settings.ts";
import { freeSlots } from "./speculation.ts";
import { undecidedSuccessors } from "./successors.ts";
import { commonTargets } from "./targets.ts";

/** One cause in the chain that answers "why is it waiting?". */
export interface ExplainLink {
  readonly code: ExplainCode;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** When the cause ends by itself at the latest. */
  readonly until?: number;
  readonly text: string;
  /** Pull requests (`#12`), checks and links that the text is about. */
  readonly refs: readonly string[];
}

export type ExplainCode =
  | "QUEUE_NOT_RUNNING"
  | "BASE_BRANCH_DIFFERS"
  | "DRAFT"
  | "MERGEABILITY_UNKNOWN"
  | "WAITING_FOR_TARGETS"
  | "NOT_MERGEABLE"
  | "BEHIND"
  | "EXAMINING_HEAD"
  | "HELD_BY_CONFLICT"
  | "RETRY_SCHEDULED"
  | "NO_FREE_SLOT"
  | "BATCH_FILLING"
  | "BEHIND_BISECTION"
  | "BISECTING"
  | "WAITING_FOR_SUCCESSORS"
  | "BUILDING_TEST_COMMIT"
  | "WAITING_FOR_CHECKS"
  | "WAITING_FOR_AHEAD"
  | "MERGING"
  | "ENDED";

/** Why a pull request is where it is, from the outermost cause to the pull request itself. */
export function explain(state: QueueState, entry: Entry): readonly ExplainLink[] {
  if (isTerminal(entry.state)) return [link(entry, "ENDED", renderReason(entry.reason))];
  return [...queueLinks(state, entry), ...entryLinks(state, entry)];
}

function queueLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const waits = entry.state === "pending" ? !startsTests(state.status) : state.status === "paused";
  if (!waits || entry.state === "not_ready") return [];
  const text = `the queue is ${state.status.replace("_", " ")}: ${renderReason(state.statusReason)}`;
  return [{ ...link(entry, "QUEUE_NOT_RUNNING", text), since: state.statusSince }];
}

function entryLinks(state: QueueState, entry: Entry): ExplainLink[] {
  const bisection = state.bisections.get(entry.bisectionId ?? "");
  if (bisection) return [bisectionLink(entry, bisection)];
  switch (entry.state) {
    case "not_ready":
      return readinessLinks(state, entry);
    case "pending":
      return pendingLinks(state, entry);
    case "testing":
      return [checksLink(state, entry)];
    case "pending_failure":
    case "tests_passed":
      return [decidedLink(state, entry)];
    case "merged":
    case "failed":
    case "cancelled":
      return [];
  }
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
  if (readiness.mergeability === "not_mergeable") {
    const text = readiness.blockers.join("; ") || "GitHub says that it is not mergeable";
    links.push(link(entry, "NOT_MERGEABLE", text, readiness.blockers));
  }
  return links;
}

function pendingLinks(state: QueueState, entry: Entry): ExplainLink[] {
  if (entry.runId !== null) {
    return [link(entry, "BUILDING_TEST_COMMIT", "its test commit is being made", [entry.runId])];
  }
  if (entry.directOnto !== undefined) {
    const isMerging = state.merge?.steps.some((step) => step.pr === entry.pr);
    const text = "its head is looked at: if it is up to date and has passed, it merges without another test";
    return [isMerging ? link(entry, "MERGING", "it is being merged") : link(entry, "EXAMINING_HEAD", text)];
  }
  if (entry.retryAt !== null) {
    return [{ ...link(entry, "RETRY_SCHEDULED", renderReason(entry.reason)), until: entry.retryAt }];
  }
  if (entry.heldBehind.length > 0) {
    return [link(entry, "HELD_BY_CONFLICT", renderReason(entry.reason), numbers(entry.heldBehind))];
  }
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

function behindText(ahead: Entry, entry: Entry): string {
  const [a, b] = [ahead.targets, entry.targets];
  const common = (a && b && commonTargets(a, b, 100)) || 0;
  const overlap = common === 1 ? "1 target" : `${common} targets`;
  return common === 0 ? `behind #${ahead.pr}` : `behind #${ahead.pr} (overlap: ${overlap})`;
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

function slotLink(state: QueueState, entry: Entry): ExplainLink {
  const slots = effective(state.settings, "concurrency");
  const text = `no free testing slot (${slots - freeSlots(state)} of ${slots} in use)`;
  return link(entry, "NO_FREE_SLOT", text, numbers([...state.line]));
}

function checksLink(state: QueueState, entry: Entry): ExplainLink {
  const run = runOf(state, entry);
  const checks = run ? evaluateChecks(run.required, run.checks) : null;
  const open = [...(checks?.pending ?? []), ...(checks?.missing ?? [])];
  const text =
    open.length === 0 ? "its tests are running" : `its tests are running: waiting for ${open.join(", ")}`;
  const until = run?.deadline ?? null;
  return { ...link(entry, "WAITING_FOR_CHECKS", text, open), ...(until === null ? {} : { until }) };
}

function decidedLink(state: QueueState, entry: Entry): ExplainLink {
  if (state.merge?.steps.some((step) => step.pr === entry.pr))
    return link(entry, "MERGING", "it is being merged");
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

function link(entry: Entry, code: ExplainCode, text: string, refs: readonly string[] = []): ExplainLink {
  return { code, since: entry.stateChangedAt, text, refs };
}

function numbers(prs: readonly number[]): string[] {
  return prs.map((pr) => `#${pr}`);
}
