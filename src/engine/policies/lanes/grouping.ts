import { skipsTheLine } from "../../model/entry.ts";
import { effective } from "../../model/settings.ts";
import type { Track } from "../beliefs/adaptive-state.ts";
import type { Scene } from "../beliefs/scene.ts";

/** Below this chance to pass a group grows no more, and no addition may take away more than a quarter. */
const leastChance = 0.5;
const leastAddition = 0.75;
/** What is likelier bad than this goes alone. */
const riskiest = 0.3;
/** When slots are scarce, nothing starts whose dependencies are likelier bad than this allows. */
const leastFoundation = 0.5;
const maxGroup = 16;
const nothing: ReadonlySet<number> = new Set();
/** So far is looked for who fits into a group. */
const reach = 400;

export interface Packing {
  readonly groups: readonly (readonly Track[])[];
  /** When a group that is too small will start as it is; null when none waits. */
  readonly deadline: number | null;
}

export interface Packed {
  readonly free: number;
  /** More wait than slots are free. */
  readonly scarce: boolean;
  /** Fewer than this start only after the oldest has waited for so long; null = any number starts. */
  readonly atLeast: { readonly size: number; readonly now: number } | null;
}

/** Puts entries, in order, into groups that are tested together: as few as there are slots, as large as the risk allows. */
export function pack(scene: Scene, list: readonly Track[], { free, scarce, atLeast }: Packed): Packing {
  const { settings } = scene.state;
  const least = settings.batch && atLeast ? Math.min(atLeast.size, maxGroup) : 1;
  const most = settings.batch && scarce ? Math.ceil(list.length / Math.max(1, free)) : 1;
  const size = Math.min(maxGroup, Math.max(least, most));
  const used = new Set<Track>();
  const groups: Track[][] = [];
  const listed = new Set(list.map(({ pr }) => pr));
  let deadline: number | null = null;
  for (const [index, seed] of list.entries()) {
    if (groups.length >= free) break;
    if (used.has(seed)) continue;
    const foundation = foundationOf(scene, seed, nothing, scarce ? leastFoundation : 0);
    const mayWait = scarce && !skipsTheLine(scene.entry(seed));
    if (mayWait && foundation < leastFoundation && mayBecomeSure(scene, seed, listed)) continue;
    const group = new Group(scene, seed, foundation);
    used.add(seed);
    if (!goesAlone(scene, seed) && group.grows(size)) {
      for (const next of list.slice(index + 1, index + 1 + reach)) {
        if (!group.grows(size)) break;
        if (used.has(next) || goesAlone(scene, next) || !group.takes(next)) continue;
        used.add(next);
      }
    }
    const until = group.members.length < least ? fullBy(scene, seed) : 0;
    if (atLeast && until > atLeast.now) deadline = Math.min(deadline ?? until, until);
    else groups.push(group.members);
  }
  return { groups, deadline };
}

class Group {
  readonly members: Track[];
  readonly #scene: Scene;
  readonly #tree = new Set<number>();
  #chance: number;

  constructor(scene: Scene, seed: Track, foundation: number) {
    this.#scene = scene;
    this.members = [seed];
    this.#chance = (1 - scene.belief(seed)) * foundation;
    this.#include(seed);
  }

  grows(size: number): boolean {
    const [seed] = this.members;
    return this.members.length < size && seed !== undefined && this.#scene.belief(seed) < riskiest;
  }

  takes(track: Track): boolean {
    const own = 1 - this.#scene.belief(track);
    if (own < leastAddition) return false;
    const chance = own * foundationOf(this.#scene, track, this.#tree, leastAddition);
    if (chance < leastAddition || this.#chance * chance < leastChance || !this.#keepsOrder(track))
      return false;
    this.#chance *= chance;
    this.members.push(track);
    this.#include(track);
    return true;
  }

  /** The members are tested on top of all the others: none of these may depend on a member. */
  #keepsOrder(track: Track): boolean {
    const members = [...this.members, track];
    const own = new Set(members.map(({ pr }) => pr));
    const others = new Set([...this.#tree, ...this.#scene.treeAhead(track).map(({ pr }) => pr)]);
    return !members.some((member) =>
      member.neighbours.some((pr) => {
        const other = others.has(pr) && !own.has(pr) ? this.#scene.track(pr) : undefined;
        return other !== undefined && this.#scene.precedes(member, other);
      }),
    );
  }

  #include(track: Track): void {
    this.#tree.add(track.pr);
    for (const { pr } of this.#scene.treeAhead(track)) this.#tree.add(pr);
  }
}

/**
 * Something unproved that it stands on is under test, or is to be tested first. Otherwise nobody would ever be surer: whoever waited
 * for that would wait for ever.
 */
function mayBecomeSure(scene: Scene, track: Track, listed: ReadonlySet<number>): boolean {
  return track.neighbours.some((pr) => {
    const other = scene.track(pr);
    if (!other || other.certificates.length > 0 || !scene.precedes(other, track)) return false;
    return !scene.isLeftOut(other) && (listed.has(pr) || scene.ownRuns(pr).length > 0);
  });
}

/** How likely all is good that it stands on and that is not in the tree yet; when that is less than asked, only that it is. */
function foundationOf(scene: Scene, track: Track, tree: ReadonlySet<number>, least: number): number {
  let chance = 1;
  for (const pr of track.neighbours) {
    const other = tree.has(pr) ? undefined : scene.track(pr);
    if (!other || other.certificates.length > 0 || !scene.precedes(other, track)) continue;
    if (scene.isLeftOut(other)) continue;
    chance *= 1 - scene.belief(other);
    if (chance < least) break;
  }
  return chance;
}

/** When its group starts with what it has. Nobody waits for company who goes alone. */
function fullBy(scene: Scene, seed: Track): number {
  if (goesAlone(scene, seed) || scene.belief(seed) >= riskiest) return 0;
  const minutes = effective(scene.state.settings, "batchingMaxWaitTimeMinutes");
  return scene.entry(seed).submittedAt + minutes * 60_000;
}

function goesAlone(scene: Scene, track: Track): boolean {
  const entry = scene.entry(track);
  return entry.noBatch || skipsTheLine(entry);
}
