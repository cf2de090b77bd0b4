import { skipsTheLine } from "../entry.ts";
import { effective } from "../settings.ts";
import type { Track } from "./adaptive-state.ts";
import type { Scene } from "./scene.ts";

/** Below this chance to pass a group grows no more, and no addition may take away more than a quarter. */
const leastChance = 0.55;
const leastAddition = 0.75;
/** What is likelier bad than this goes alone. */
const riskiest = 0.3;
/** When slots are scarce, nothing starts whose dependencies are likelier bad than this allows. */
const leastFoundation = 0.35;
const maxGroup = 16;
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
  let deadline: number | null = null;
  for (const [index, seed] of list.entries()) {
    if (groups.length >= free) break;
    if (used.has(seed)) continue;
    const group = new Group(scene, seed);
    if (scarce && group.foundation < leastFoundation) continue;
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
  /** How likely what the first stands on is good. */
  readonly foundation: number;
  readonly #scene: Scene;
  readonly #tree = new Set<Track>();
  #chance: number;

  constructor(scene: Scene, seed: Track) {
    this.#scene = scene;
    this.members = [seed];
    this.foundation = this.#foundationOf(seed);
    this.#chance = (1 - scene.belief(seed)) * this.foundation;
    this.#include(seed);
  }

  grows(size: number): boolean {
    const [seed] = this.members;
    return this.members.length < size && seed !== undefined && this.#scene.belief(seed) < riskiest;
  }

  takes(track: Track): boolean {
    if (!this.#keepsOrder(track)) return false;
    const chance = (1 - this.#scene.belief(track)) * this.#foundationOf(track);
    if (chance < leastAddition || this.#chance * chance < leastChance) return false;
    this.#chance *= chance;
    this.members.push(track);
    this.#include(track);
    return true;
  }

  /** The members are tested on top of all the others: none of these may depend on a member. */
  #keepsOrder(track: Track): boolean {
    const members = new Set([...this.members, track]);
    const others = [...this.#tree, ...this.#scene.treeAhead(track)].filter((other) => !members.has(other));
    return !others.some((other) => this.#scene.ahead(other).some((one) => members.has(one)));
  }

  /** How likely all is good that it stands on and that is not in the tree yet. */
  #foundationOf(track: Track): number {
    let chance = 1;
    for (const other of this.#scene.ahead(track)) {
      if (this.#scene.isLeftOut(other) || other.certificates.length > 0 || this.#tree.has(other)) continue;
      chance *= 1 - this.#scene.belief(other);
    }
    return chance;
  }

  #include(track: Track): void {
    this.#tree.add(track);
    for (const other of this.#scene.treeAhead(track)) this.#tree.add(other);
  }
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
