/** GitHub keeps commits that are on no branch for weeks. */
const keptMs = 10 * 60_000;
const maxKept = 5_000;

/**
 * Remembers what a build has made at GitHub, so that a repeated try goes on where the last one failed. A build of many commits makes
 * hundreds of calls, and would never end while some of them fail. Nothing is shared with other builds: a commit that was tested once
 * has checks already. This is only a shortcut within one process.
 */
export class BuildProgress {
  readonly #now: () => number;
  /** By build and step, the oldest first. */
  readonly #made = new Map<string, { readonly at: number; readonly result: unknown }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Returns the result of a step of a build; null = it is not known.
   *
   * @param step what determines the result
   */
  find<T>(build: string, step: readonly string[]): T | null {
    const known = this.#made.get(keyOf(build, step));
    return known && this.#now() - known.at < keptMs ? (known.result as T) : null;
  }

  note<T>(build: string, step: readonly string[], result: T): T {
    this.#made.set(keyOf(build, step), { at: this.#now(), result });
    const [oldest] = this.#made.size > maxKept ? this.#made.keys() : [];
    if (oldest !== undefined) this.#made.delete(oldest);
    return result;
  }

  /** Returns the known result of a step, or takes the step. */
  async once<T>(build: string, step: readonly string[], take: () => Promise<T>): Promise<T> {
    return this.find<T>(build, step) ?? this.note(build, step, await take());
  }
}

const keyOf = (build: string, step: readonly string[]): string => [build, ...step].join(" ");
