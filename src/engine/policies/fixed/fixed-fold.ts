import { compareTexts, SortedMap } from "../../collections/sorted-map.ts";
import { offTheLine, withEntry } from "../../fold/entry-index.ts";
import { endSpell } from "../../fold/learn-series.ts";
import { withRun } from "../../fold/run-index.ts";
import type { Entry } from "../../model/entry.ts";
import type { EventOf } from "../../model/event.ts";
import type { PolicyMemory, QueueState } from "../../model/queue.ts";
import { type Members, requireMembers, type TestRun } from "../../model/test-run.ts";
import type { PolicyFold } from "../../policy-fold.ts";
import type { Reason } from "../../reasons/reason.ts";

/** An entry keeps its place in the line until its run is discarded. */
export const fixedFold: PolicyFold = {
  entryRequeued: (state) => state,
  runDiscarded(state, { id, members }) {
    const placed = members.filter((pr) => state.entries.get(pr)?.runId === id);
    return placed.reduce(offTheLine, state);
  },
  learn(_before, after, { data, at }) {
    switch (data.type) {
      case "bisection_started":
        return startBisection(after, data, at);
      case "bisection_narrowed":
        return narrowBisection(after, data);
      case "bisection_ended":
        return endBisection(after, data.bisectionId);
      default:
        return after;
    }
  },
};

/**
 * The search for the culprit of a failed batch. P(k) is the base plus the first k members. P(green) is known to pass,
 * and P(red) is known to fail. When `red` is `green + 1`, member number `red` (counted from 1) is the culprit.
 */
export interface Bisection {
  readonly id: string;
  /** In the order in which they will merge. */
  readonly members: Members;
  readonly green: number;
  /** The run that passed on P(green); null while green is 0, which is the base itself. */
  readonly greenRunId: string | null;
  readonly red: number;
  /** The run that failed on P(red); null if a longer prefix passed since, which shows that the failure was a flake. */
  readonly redRunId: string | null;
  /** Why P(red) failed. */
  readonly failure: Reason;
  readonly startedAt: number;
}

type Bisections = SortedMap<string, Bisection>;

interface FixedMemory extends PolicyMemory {
  readonly bisections: Bisections;
}

const noBisections: Bisections = SortedMap.empty(compareTexts);

export function bisectionsOf({ policyMemory }: Pick<QueueState, "policyMemory">): Bisections {
  return holdsBisections(policyMemory) ? policyMemory.bisections : noBisections;
}

export function bisectionOf(
  state: Pick<QueueState, "policyMemory">,
  { bisectionId }: { readonly bisectionId: string | null },
): Bisection | undefined {
  return bisectionId === null ? undefined : bisectionsOf(state).get(bisectionId);
}

export function withBisections(policyMemory: PolicyMemory, bisections: Bisections): PolicyMemory {
  const memory: FixedMemory = { ...policyMemory, bisections };
  return memory;
}

/** What a snapshot contains; undefined = the queue has never bisected a batch. */
export function storedBisections(policyMemory: PolicyMemory): readonly Bisection[] | undefined {
  return holdsBisections(policyMemory) ? [...policyMemory.bisections.values()] : undefined;
}

export function restoredBisections(stored: readonly Bisection[]): Bisections {
  return stored.reduce((all, one) => all.with(one.id, one), noBisections);
}

function holdsBisections(memory: PolicyMemory): memory is FixedMemory {
  return "bisections" in memory;
}

/** Starts a bisection. The members leave their run, and stay in the line. */
export function startBisection(
  state: QueueState,
  { bisectionId, runId, members, failure }: EventOf<"bisection_started">,
  at: number,
): QueueState {
  const bisection: Bisection = {
    id: bisectionId,
    members,
    green: 0,
    greenRunId: null,
    red: members.length,
    redRunId: runId,
    failure,
    startedAt: at,
  };
  return changeAll(withBisection(state, bisection), members, { bisectionId, runId: null });
}

export function narrowBisection(
  state: QueueState,
  { bisectionId, green, greenRunId, red, redRunId, failure }: EventOf<"bisection_narrowed">,
): QueueState {
  const bisection = bisectionsOf(state).get(bisectionId);
  if (!bisection) throw new Error(`bisection ${bisectionId} is not in queue ${state.id}`);
  const next = withBisection(state, { ...bisection, green, greenRunId, red, redRunId, failure });
  return green > bisection.green ? endSpell(next) : next;
}

/**
 * Ends a bisection. The prefix of size `green` is assigned to the run that it passed in. The run that failed on the prefix of size
 * `green + 1` becomes the run of the culprit, with the passed prefix ahead of it. The other members leave the line.
 */
export function endBisection(state: QueueState, bisectionId: string): QueueState {
  const bisection = bisectionsOf(state).get(bisectionId);
  if (!bisection) return state;
  const bare = {
    ...state,
    policyMemory: withBisections(state.policyMemory, bisectionsOf(state).without(bisectionId)),
  };
  const { members, green, greenRunId } = bisection;
  const prefix = greenRunId !== null && state.runs.has(greenRunId) ? members.slice(0, green) : [];
  const verdict = culpritRun(state, bisection);
  const kept = new Set([...prefix, ...(verdict?.members ?? [])]);
  const freed = members.filter((pr) => !kept.has(pr));
  const ended = verdict ? withRun(bare, verdict) : bare;
  const line = freed.reduce((rest, pr) => rest.without(pr), ended.line);
  const free = changeAll({ ...ended, line }, freed, { bisectionId: null, runId: null });
  const passed = changeAll(free, prefix, { bisectionId: null, runId: greenRunId });
  return changeAll(passed, verdict?.members ?? [], { bisectionId: null, runId: verdict?.id ?? null });
}

/** Returns the failed run of the prefix of size `green + 1`, as a run of its last member only; null while the culprit is not known. */
export function culpritRun(state: QueueState, bisection: Bisection): TestRun | null {
  const { members, green, red, redRunId } = bisection;
  const run = redRunId === null ? undefined : state.runs.get(redRunId);
  if (!run || red !== green + 1) return null;
  const parentSha = run.commits[green - 1]?.commitSha ?? run.parentSha;
  return {
    ...run,
    kind: "main",
    bisected: true,
    bisectionId: null,
    parentSha,
    ahead: members.slice(0, green),
    members: requireMembers(members.slice(green, red)),
    commits: run.commits.slice(green),
  };
}

function withBisection(state: QueueState, bisection: Bisection): QueueState {
  const bisections = bisectionsOf(state).with(bisection.id, bisection);
  return { ...state, policyMemory: withBisections(state.policyMemory, bisections) };
}

/** Changes the given entries, except those that have left the queue. */
function changeAll(state: QueueState, prs: readonly number[], changes: Partial<Entry>): QueueState {
  return prs.reduce<QueueState>((next, pr) => {
    const entry = next.entries.get(pr);
    return entry ? withEntry(next, { ...entry, ...changes }) : next;
  }, state);
}
