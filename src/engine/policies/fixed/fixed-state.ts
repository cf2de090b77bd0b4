import { compareTexts, SortedMap } from "../../collections/sorted-map.ts";
import type { PolicyMemory } from "../../model/policy-memory.ts";
import type { QueueState } from "../../model/queue.ts";
import type { Members } from "../../model/test-run.ts";
import type { Reason } from "../../reasons/reason.ts";

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

/** Returns the bisections in progress, by id. */
export function bisectionsOf({ policyMemory }: Pick<QueueState, "policyMemory">): Bisections {
  return holdsBisections(policyMemory) ? policyMemory.bisections : noBisections;
}

/** Returns the bisection that a run or an entry belongs to. */
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
