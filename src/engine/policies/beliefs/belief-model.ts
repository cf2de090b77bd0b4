import { compareTuples } from "../../collections/sorted-map.ts";
import { orderKey } from "../../fold/entry-index.ts";
import type { Entry } from "../../model/entry.ts";
import type { QueueState } from "../../model/queue.ts";
import { usesLanes } from "../../model/settings.ts";
import { isActive, type TestRun } from "../../model/test-run.ts";
import type { Certificate, EntryEvidence } from "./belief-state.ts";
import { conviction, isDirect } from "./evidence.ts";
import { type Noted, notedIn, placesIn, withTheLine } from "./evidence-index.ts";
import { faultRate, flakeRate, priorOf } from "./rates.ts";

/** From this belief on an entry is a suspect; it stays one until the belief is well below. */
const suspectFrom = 0.5;
const suspectUntil = 0.45;
/** What is left of the doubt about an entry that has passed. */
const provedRisk = 0.002;
/** How much a failure that can only be its own counts while another one is judged. */
const directRisk = 0.9;

/** So many unproved dependencies are counted. */
const mostCounted = 64;

/** In one line nobody knows who conflicts with whom. */
const singleConflictRisk = 0.03;

const models = new WeakMap<QueueState, BeliefModel>();

/** One moment of a queue, with everything that is asked about it again and again. Beliefs are 0…1. */
export class BeliefModel {
  readonly state: QueueState;
  readonly #ahead = new Map<number, readonly EntryEvidence[]>();
  readonly #beliefs = new Map<number, number>();
  readonly #direct = new Map<number, boolean>();
  readonly #priors = new Map<number, number>();
  #containing: Map<number, TestRun[]> | null = null;
  #tracks: Noted | null = null;
  #places: ReadonlyMap<number, number> | null = null;
  #started: readonly EntryEvidence[] | null = null;

  private constructor(state: QueueState) {
    this.state = state;
  }

  /** The model of a state: while nothing happens, everybody looks at the same one. */
  static of(state: QueueState): BeliefModel {
    const known = models.get(state);
    if (known) return known;
    const model = new BeliefModel(state);
    models.set(state, model);
    return model;
  }

  /** The entries that have been tested, or proved, even if nothing of that counts any more: they do not wait in order. */
  get started(): readonly EntryEvidence[] {
    this.#started ??= withTheLine(this.#noted, this.state);
    return this.#started;
  }

  /** The entries against which there is evidence, or was. */
  get accused(): readonly EntryEvidence[] {
    return this.#noted.accused;
  }

  /** The entries that are tested by themselves, in `single` mode. */
  get isolated(): readonly EntryEvidence[] {
    return this.#noted.isolated;
  }

  get #noted(): Noted {
    this.#tracks ??= notedIn(this.state.adaptive.tracks);
    return this.#tracks;
  }

  track(pr: number): EntryEvidence | undefined {
    return this.#noted.all.get(pr);
  }

  entry(track: EntryEvidence): Entry {
    const entry = this.state.entries.get(track.pr);
    if (!entry) throw new Error(`#${track.pr} is tracked, but not in the queue`);
    return entry;
  }

  get flakeRate(): number {
    return flakeRate(this.state.adaptive.rates);
  }

  /** What an entry depends on directly: its neighbours before it. */
  ahead(track: EntryEvidence): readonly EntryEvidence[] {
    const known = this.#ahead.get(track.pr);
    if (known) return known;
    const { all } = this.#noted;
    const found: EntryEvidence[] = [];
    for (const pr of track.neighbours) {
      const other = all.get(pr);
      if (other && this.precedes(other, track)) found.push(other);
    }
    this.#ahead.set(track.pr, found);
    return found;
  }

  /** New tests do not contain it: it is likely bad, or cannot be built before others are decided. */
  isLeftOut(track: EntryEvidence): boolean {
    return track.suspect || this.isHeld(track);
  }

  /** It may merge without a test. */
  isExamined(track: EntryEvidence): boolean {
    return this.state.direct.size > 0 && this.entry(track).directOnto !== undefined;
  }

  isHeld(track: EntryEvidence): boolean {
    return this.state.held.size > 0 && this.entry(track).heldBehind.length > 0;
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

  /** The active runs whose trees contain it. */
  runsWith(pr: number): readonly TestRun[] {
    this.#containing ??= activeRunsByEntry(this.state);
    return this.#containing.get(pr) ?? [];
  }

  /** The active runs that decide about it. */
  ownRuns(pr: number): TestRun[] {
    return this.runsWith(pr).filter((run) => run.members.includes(pr));
  }

  /** How likely it is to be bad by itself. */
  own({ pr }: EntryEvidence): number {
    return this.state.entries.get(pr)?.risk ?? faultRate(this.state.adaptive.rates);
  }

  /** How likely it is to be bad by what is known before its tests. */
  prior(track: EntryEvidence): number {
    const known = this.#priors.get(track.pr);
    if (known !== undefined) return known;
    const found = this.#expect(track);
    this.#priors.set(track.pr, found);
    return found;
  }

  #expect(track: EntryEvidence): number {
    if (!usesLanes(this.state.settings)) return Math.min(0.9, this.own(track) + singleConflictRisk);
    const unsuspected = this.#countUnsuspected(track);
    return priorOf(this.state.adaptive.rates, this.own(track), track.exposure + unsuspected);
  }

  /** How many that are no suspects are ahead of it; with the greatest number counted it is likely bad anyway. */
  #countUnsuspected(track: EntryEvidence): number {
    let count = 0;
    for (const pr of track.neighbours) {
      const other = this.track(pr);
      if (!other || !this.precedes(other, track) || this.isLeftOut(other)) continue;
      if (++count === mostCounted) break;
    }
    return count;
  }

  /** How likely it is to be bad, given every run that it was part of. */
  belief(track: EntryEvidence): number {
    const known = this.#beliefs.get(track.pr);
    if (known !== undefined) return known;
    const found = this.#judge(track);
    this.#beliefs.set(track.pr, found);
    return found;
  }

  isDirect(track: EntryEvidence): boolean {
    if (track.reds.length === 0) return false;
    const known = this.#direct.get(track.pr);
    if (known !== undefined) return known;
    const found = isDirect(track, this.state.adaptive.tracks);
    this.#direct.set(track.pr, found);
    return found;
  }

  conviction(track: EntryEvidence) {
    return conviction(track, this.state.adaptive.tracks);
  }

  isSuspicious(track: EntryEvidence): boolean {
    return this.belief(track) >= (track.suspect ? suspectUntil : suspectFrom);
  }

  /** What new tests of these contain: everything that they depend on, suspects left out. */
  tree(members: readonly EntryEvidence[]): { readonly ahead: number[]; readonly members: number[] } {
    const own = new Set(members);
    const ahead = new Set<EntryEvidence>();
    for (const member of members) for (const other of this.treeAhead(member)) ahead.add(other);
    const pick = (of: Iterable<EntryEvidence>) => this.inOrder(of).map(({ pr }) => pr);
    return { ahead: pick([...ahead].filter((other) => !own.has(other))), members: pick(members) };
  }

  /** Direct dependencies; of what conflicted with these alone, all that they stand on, too. */
  treeAhead(track: EntryEvidence): readonly EntryEvidence[] {
    const direct = this.ahead(track).filter((other) => !this.isLeftOut(other));
    if (!track.useTransitiveDependencies) return direct;
    const found = new Set(direct);
    for (const one of found) {
      for (const other of this.ahead(one)) if (!this.isLeftOut(other)) found.add(other);
    }
    return [...found];
  }

  /** Whether a run's tree, or a certificate's, is what would be tested now. */
  isUpToDate(track: EntryEvidence, contains: (pr: number) => boolean): boolean {
    return this.ahead(track).every((other) => contains(other.pr) !== this.isLeftOut(other));
  }

  /** Whether it would merge by this once everything ahead has merged that is no suspect. */
  isUsable(track: EntryEvidence, { others }: Certificate): boolean {
    return this.ahead(track).every((other) =>
      others.includes(other.pr)
        ? !this.isLeftOut(other) || other.certificates.length > 0
        : this.isLeftOut(other),
    );
  }

  /** Bayes: each failure multiplies the odds by how much less likely it were, were this one good. */
  #judge(track: EntryEvidence): number {
    if (track.certificates.length > 0) return provedRisk;
    const prior = this.prior(track);
    let odds = prior / (1 - prior);
    for (const { others } of track.reds) {
      let otherwise = 1 - this.flakeRate;
      for (const pr of others) otherwise *= 1 - this.#alone(pr);
      odds *= 1 / (1 - otherwise);
    }
    return odds / (1 + odds);
  }

  /** What another entry's evidence counts for: not its whole belief, which this one's evidence may be part of. */
  #alone(pr: number): number {
    const track = this.track(pr);
    if (!track) return 0.0005;
    if (track.certificates.length > 0) return provedRisk;
    return this.isDirect(track) ? directRisk : this.prior(track);
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
