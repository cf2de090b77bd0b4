import { skipsTheLine } from "../../model/entry.ts";
import { settingInUse } from "../../model/settings.ts";
import type { BeliefModel } from "../beliefs/belief-model.ts";
import type { EntryEvidence } from "../beliefs/belief-state.ts";

/** A group grows while its probability of passing is at least this. */
const leastChance = 0.5;
/** An entry joins a group only if the group's probability of passing stays at least this share of its former value. */
const leastAddition = 0.75;
/** An entry with at least this belief is tested alone. */
const riskiest = 0.3;
/** When slots are scarce, an entry waits while the probability that its dependencies are good is below this. */
const leastFoundation = 0.5;
const maxGroup = 16;
const nothing: ReadonlySet<number> = new Set();
/** For each group, at most this number of entries behind its first one are considered. */
const reach = 400;

export interface Packing {
  readonly groups: readonly (readonly EntryEvidence[])[];
  /** When the first group that is too small starts anyway; null if no such group waits. */
  readonly deadline: number | null;
}

export interface Packed {
  readonly free: number;
  /** More entries wait than slots are free. */
  readonly scarce: boolean;
  /** A smaller group starts only after its first entry has waited for the maximum time; null = a group of any size starts. */
  readonly atLeast: { readonly size: number; readonly now: number } | null;
}

/** Packs entries, in order, into groups that are tested together: at most one for each free slot, as large as the risk allows. */
export function pack(
  model: BeliefModel,
  list: readonly EntryEvidence[],
  { free, scarce, atLeast }: Packed,
): Packing {
  const { settings } = model.state;
  const least = settings.batch && atLeast ? Math.min(atLeast.size, maxGroup) : 1;
  const most = settings.batch && scarce ? Math.ceil(list.length / Math.max(1, free)) : 1;
  const size = Math.min(maxGroup, Math.max(least, most));
  const used = new Set<EntryEvidence>();
  const groups: EntryEvidence[][] = [];
  const listed = new Set(list.map(({ pr }) => pr));
  let deadline: number | null = null;
  for (const [index, seed] of list.entries()) {
    if (groups.length >= free) break;
    if (used.has(seed)) continue;
    const foundation = foundationOf(model, seed, nothing, scarce ? leastFoundation : 0);
    const mayWait = scarce && !skipsTheLine(model.entry(seed));
    if (mayWait && foundation < leastFoundation && mayBecomeSure(model, seed, listed)) continue;
    const group = new Group(model, seed, foundation);
    used.add(seed);
    if (!goesAlone(model, seed) && group.grows(size)) {
      for (const next of list.slice(index + 1, index + 1 + reach)) {
        if (!group.grows(size)) break;
        if (used.has(next) || goesAlone(model, next) || !group.takes(next)) continue;
        used.add(next);
      }
    }
    const until = group.members.length < least ? fullBy(model, seed) : 0;
    if (atLeast && until > atLeast.now) deadline = Math.min(deadline ?? until, until);
    else groups.push(group.members);
  }
  return { groups, deadline };
}

class Group {
  readonly members: EntryEvidence[];
  readonly #model: BeliefModel;
  readonly #tree = new Set<number>();
  #chance: number;

  constructor(model: BeliefModel, seed: EntryEvidence, foundation: number) {
    this.#model = model;
    this.members = [seed];
    this.#chance = (1 - model.belief(seed)) * foundation;
    this.#include(seed);
  }

  grows(size: number): boolean {
    const [seed] = this.members;
    return this.members.length < size && seed !== undefined && this.#model.belief(seed) < riskiest;
  }

  takes(evidence: EntryEvidence): boolean {
    const own = 1 - this.#model.belief(evidence);
    if (own < leastAddition) return false;
    const chance = own * foundationOf(this.#model, evidence, this.#tree, leastAddition);
    if (chance < leastAddition || this.#chance * chance < leastChance || !this.#keepsOrder(evidence))
      return false;
    this.#chance *= chance;
    this.members.push(evidence);
    this.#include(evidence);
    return true;
  }

  /** Whether the order allows another member. All other entries of the tree precede the members, so none of them may depend on a member. */
  #keepsOrder(evidence: EntryEvidence): boolean {
    const members = [...this.members, evidence];
    const own = new Set(members.map(({ pr }) => pr));
    const others = new Set([...this.#tree, ...this.#model.treeAhead(evidence).map(({ pr }) => pr)]);
    return !members.some((member) =>
      member.neighbours.some((pr) => {
        const other = others.has(pr) && !own.has(pr) ? this.#model.evidence(pr) : undefined;
        return other !== undefined && this.#model.precedes(member, other);
      }),
    );
  }

  #include(evidence: EntryEvidence): void {
    this.#tree.add(evidence.pr);
    for (const { pr } of this.#model.treeAhead(evidence)) this.#tree.add(pr);
  }
}

/**
 * Whether an unproved dependency is under test, or is in the list of entries to test. Otherwise the probability that the dependencies are
 * good would never change, and the entry would wait for ever.
 */
function mayBecomeSure(model: BeliefModel, evidence: EntryEvidence, listed: ReadonlySet<number>): boolean {
  return evidence.neighbours.some((pr) => {
    const other = model.evidence(pr);
    if (!other || other.certificates.length > 0 || !model.precedes(other, evidence)) return false;
    return !model.isLeftOut(other) && (listed.has(pr) || model.ownRuns(pr).length > 0);
  });
}

/** Returns the probability that all dependencies outside the tree are good. Below `least`, the value is only an upper bound. */
function foundationOf(
  model: BeliefModel,
  evidence: EntryEvidence,
  tree: ReadonlySet<number>,
  least: number,
): number {
  let chance = 1;
  for (const pr of evidence.neighbours) {
    const other = tree.has(pr) ? undefined : model.evidence(pr);
    if (!other || other.certificates.length > 0 || !model.precedes(other, evidence)) continue;
    if (model.isLeftOut(other)) continue;
    chance *= 1 - model.belief(other);
    if (chance < least) break;
  }
  return chance;
}

/** Returns when the group of an entry starts even if it is too small; 0 for an entry that is tested alone. */
function fullBy(model: BeliefModel, seed: EntryEvidence): number {
  if (goesAlone(model, seed) || model.belief(seed) >= riskiest) return 0;
  const minutes = settingInUse(model.state.settings, "batchingMaxWaitTimeMinutes");
  return model.entry(seed).submittedAt + minutes * 60_000;
}

function goesAlone(model: BeliefModel, evidence: EntryEvidence): boolean {
  const entry = model.entry(evidence);
  return entry.noBatch || skipsTheLine(entry);
}
