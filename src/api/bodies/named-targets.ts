import { CountedTargets, mostNamedTargets } from "../../engine/model/targets.ts";

/** Maximum number of characters of names that are stored for each upload. */
const mostCharacters = 256 * 1024;

/** A list of targets: all of them as numbers, and the first names. */
export class NamedTargets {
  readonly counted: CountedTargets;
  readonly names: readonly string[];

  constructor(counted: CountedTargets, names: readonly string[]) {
    this.counted = counted;
    this.names = names;
  }

  static of(list: readonly string[]): NamedTargets {
    const names = new FirstNames();
    for (const name of list) {
      if (names.isFull) break;
      names.add(name);
    }
    return new NamedTargets(CountedTargets.of(list), names.list);
  }
}

/** Collects the first different names of a list. */
export class FirstNames {
  readonly #names = new Set<string>();
  #characters = 0;
  #looked = 0;

  /** Also true after a limited number of reads, so that a list that repeats a few names is not searched to its end. */
  get isFull(): boolean {
    return this.#looked >= 2 * mostNamedTargets || this.#names.size >= mostNamedTargets;
  }

  add(name: string): void {
    this.#looked += 1;
    if (this.#names.has(name) || this.#characters + name.length > mostCharacters) return;
    this.#characters += name.length;
    this.#names.add(name);
  }

  get list(): readonly string[] {
    return [...this.#names];
  }
}
