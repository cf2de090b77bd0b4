import { compareTuples } from "../../collections/sorted-map.ts";
import { orderKey } from "../../fold/entry-index.ts";
import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import { beliefsOf, type Certificate, type EntryEvidence, faultRate, flakeRate } from "./belief-state.ts";
import {
  type EvidenceIndex,
  evidenceIndexOf,
  failedAlone,
  lastFailureAlone,
  placesIn,
  withTheLine,
} from "./evidence.ts";

import { freeSlots, type Slots, slotsInUse } from "./slots.ts";

/** An entry with at least this belief becomes a suspect. It stays one until its belief is below `suspectUntil`. */
const suspectFrom = 0.5;
const suspectUntil = 0.45;
/** The belief about an entry that has passed. */
const provedRisk = 0.002;
/** The assumed probability of fault of an entry that failed alone, when the belief about another entry is computed. */
const directRisk = 0.9;

/** A state of a queue, with cached results of frequent queries. Beliefs are between 0 and 1. */
export abstract class BeliefModel {
  readonly state: QueueState;
  readonly #ahead = new Map<number, readonly EntryEvidence[]>();
  readonly #beliefs = new Map<number, number>();
  readonly #direct = new Map<number, boolean>();
  readonly #priors = new Map<number, number>();
  #containing: Map<number, TestRun[]> | null = null;
  #tracks: EvidenceIndex | null = null;
  #places: ReadonlyMap<number, number> | null = null;
  #started: readonly EntryEvidence[] | null = null;

  constructor(state: QueueState) {
    this.state = state;
  }

  /** The maximum number of tests at once by the settings. */
  protected abstract get mostTests(): number;

  /** Whether one failure is enough to evict an entry, unless a failed check has flaked before. */
  abstract get evictsAtOnce(): boolean;

  /** Returns the unmerged entries that have to merge before an entry. */
  abstract unmergedAhead(evidence: EntryEvidence): number[];

  /** Returns how many tests of an entry may start. */
  abstract slotsFor(evidence: EntryEvidence | undefined): number;

  /** Returns the probability that an entry is bad, before any of its tests. */
  protected abstract expect(evidence: EntryEvidence): number;

  get slots(): Slots {
    return freeSlots(this.state, this.mostTests);
  }

  /** Returns the slots that limit the main runs at present: all slots if none of them is free, otherwise the main slots. */
  get slotsInUse(): { readonly used: number; readonly of: number } {
    return slotsInUse(this.state, this.mostTests);
  }

  /** The entries in the line, and all that were ever a member of a run or proved, even if that run no longer counts. */
  get started(): readonly EntryEvidence[] {
    this.#started ??= withTheLine(this.#noted, this.state);
    return this.#started;
  }

  /** The entries with a failure as evidence against them, and the suspects. */
  get accused(): readonly EntryEvidence[] {
    return this.#noted.accused;
  }

  /** The entries that are tested by themselves, in `single` mode. */
  get isolated(): readonly EntryEvidence[] {
    return this.#noted.isolated;
  }

  get #noted(): EvidenceIndex {
    this.#tracks ??= evidenceIndexOf(beliefsOf(this.state).tracks);
    return this.#tracks;
  }

  evidence(pr: number): EntryEvidence | undefined {
    return this.#noted.all.get(pr);
  }

  entry(evidence: EntryEvidence): Entry {
    const entry = this.state.entries.get(evidence.pr);
    if (!entry) throw new Error(`#${evidence.pr} is tracked, but not in the queue`);
    return entry;
  }

  get flakeRate(): number {
    return flakeRate(beliefsOf(this.state).rates);
  }

  /** The direct dependencies of an entry are the neighbours ahead of it. */
  ahead(evidence: EntryEvidence): readonly EntryEvidence[] {
    const known = this.#ahead.get(evidence.pr);
    if (known) return known;
    const { all } = this.#noted;
    const found: EntryEvidence[] = [];
    for (const pr of evidence.neighbours) {
      const other = all.get(pr);
      if (other && this.precedes(other, evidence)) found.push(other);
    }
    this.#ahead.set(evidence.pr, found);
    return found;
  }

  /** Whether new tests leave an entry out: it is a suspect, or is held until entries ahead are decided. */
  isLeftOut(evidence: EntryEvidence): boolean {
    return evidence.suspect || this.isHeld(evidence);
  }

  /** Whether an entry is being examined because it may merge without a test. */
  isExamined(evidence: EntryEvidence): boolean {
    return this.state.direct.size > 0 && this.entry(evidence).directOnto !== undefined;
  }

  isHeld(evidence: EntryEvidence): boolean {
    return this.state.held.size > 0 && this.entry(evidence).heldBehind.length > 0;
  }

  precedes(one: EntryEvidence, other: EntryEvidence): boolean {
    if (one.place !== null && other.place !== null) return one.place < other.place;
    if (one.place !== null || other.place !== null) return one.place !== null;
    this.#places ??= placesIn(this.state.waiting);
    const a = this.#places.get(one.pr);
    const b = this.#places.get(other.pr);
    if (a !== undefined && b !== undefined) return a < b;
    return compareTuples(orderKey(this.entry(one)), orderKey(this.entry(other))) < 0;
  }

  inOrder(tracks: Iterable<EntryEvidence>): EntryEvidence[] {
    return [...tracks].sort((a, b) => (a === b ? 0 : this.precedes(a, b) ? -1 : 1));
  }

  runsWith(pr: number): readonly TestRun[] {
    this.#containing ??= activeRunsByEntry(this.state);
    return this.#containing.get(pr) ?? [];
  }

  /** Returns the active runs of which an entry is a member. */
  ownRuns(pr: number): TestRun[] {
    return this.runsWith(pr).filter((run) => run.members.includes(pr));
  }

  /** Returns the probability that an entry is bad by itself, without a conflict. */
  own({ pr }: EntryEvidence): number {
    return this.state.entries.get(pr)?.risk ?? faultRate(beliefsOf(this.state).rates);
  }

  prior(evidence: EntryEvidence): number {
    const known = this.#priors.get(evidence.pr);
    if (known !== undefined) return known;
    const found = this.expect(evidence);
    this.#priors.set(evidence.pr, found);
    return found;
  }

  /** Returns the probability that an entry is bad, given every run that contained it. */
  belief(evidence: EntryEvidence): number {
    const known = this.#beliefs.get(evidence.pr);
    if (known !== undefined) return known;
    const found = this.#judge(evidence);
    this.#beliefs.set(evidence.pr, found);
    return found;
  }

  failedAlone(evidence: EntryEvidence): boolean {
    if (evidence.reds.length === 0) return false;
    const known = this.#direct.get(evidence.pr);
    if (known !== undefined) return known;
    const found = failedAlone(evidence, beliefsOf(this.state).tracks);
    this.#direct.set(evidence.pr, found);
    return found;
  }

  lastFailureAlone(evidence: EntryEvidence) {
    return lastFailureAlone(evidence, beliefsOf(this.state).tracks);
  }

  isSuspicious(evidence: EntryEvidence): boolean {
    return this.belief(evidence) >= (evidence.suspect ? suspectUntil : suspectFrom);
  }

  /** Returns the tree of a new test of these entries, in order. It leaves out suspects and held entries. */
  tree(members: readonly EntryEvidence[]): { readonly ahead: number[]; readonly members: number[] } {
    const own = new Set(members);
    const ahead = new Set<EntryEvidence>();
    for (const member of members) for (const other of this.treeAhead(member)) ahead.add(other);
    const pick = (of: Iterable<EntryEvidence>) => this.inOrder(of).map(({ pr }) => pr);
    return { ahead: pick([...ahead].filter((other) => !own.has(other))), members: pick(members) };
  }

  /** Returns the dependencies in a new test of an entry: direct ones, or transitive ones if a build on the direct ones alone conflicted. */
  treeAhead(evidence: EntryEvidence): readonly EntryEvidence[] {
    const direct = this.ahead(evidence).filter((other) => !this.isLeftOut(other));
    if (!evidence.useTransitiveDependencies) return direct;
    const found = new Set(direct);
    for (const one of found) {
      for (const other of this.ahead(one)) if (!this.isLeftOut(other)) found.add(other);
    }
    return [...found];
  }

  /** Whether the tree of a run or certificate contains exactly the direct dependencies that a new test would contain. */
  isUpToDate(evidence: EntryEvidence, contains: (pr: number) => boolean): boolean {
    return this.ahead(evidence).every((other) => contains(other.pr) !== this.isLeftOut(other));
  }

  /** Whether a certificate lets an entry merge once its dependencies that are not left out have merged. */
  isCertified(evidence: EntryEvidence): boolean {
    return evidence.certificates.some((certificate) => this.#isUsable(evidence, certificate));
  }

  #isUsable(evidence: EntryEvidence, { others }: Certificate): boolean {
    return this.ahead(evidence).every((other) =>
      others.includes(other.pr)
        ? !this.isLeftOut(other) || other.certificates.length > 0
        : this.isLeftOut(other),
    );
  }

  /** Bayes' theorem: each failure divides the odds by the probability of this failure if the entry were good. */
  #judge(evidence: EntryEvidence): number {
    if (evidence.certificates.length > 0) return provedRisk;
    const prior = this.prior(evidence);
    let odds = prior / (1 - prior);
    for (const { others } of evidence.reds) {
      let otherwise = 1 - this.flakeRate;
      for (const pr of others) otherwise *= 1 - this.#alone(pr);
      odds *= 1 / (1 - otherwise);
    }
    return odds / (1 + odds);
  }

  /** Returns the probability of fault of another entry. Not its belief, which may come from the same evidence. */
  #alone(pr: number): number {
    const evidence = this.evidence(pr);
    if (!evidence) return 0.0005;
    if (evidence.certificates.length > 0) return provedRisk;
    return this.failedAlone(evidence) ? directRisk : this.prior(evidence);
  }
}

function activeRunsByEntry(state: QueueState): Map<number, TestRun[]> {
  const found = new Map<number, TestRun[]>();
  const add = (pr: number, run: TestRun) => {
    const runs = found.get(pr);
    if (runs) runs.push(run);
    else found.set(pr, [run]);
  };
  for (const run of state.runs.values()) {
    if (!isActive(run)) continue;
    for (const pr of run.ahead) add(pr, run);
    for (const pr of run.members) add(pr, run);
  }
  return found;
}
