import type { Repository } from "../test-commits/branches.ts";

/**
 * How long a block without a known reason must last before it counts: GitHub's mergeable state lags behind checks that have just
 * completed.
 */
const lagMs = 2_500;
const maxKept = 1_000;

/** Records since when GitHub has blocked heads without a known reason. */
export class UnexplainedBlocks {
  readonly #now: () => number;
  readonly #since = new Map<string, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records that a head is blocked without a known reason. Returns whether that has lasted long enough to be reported. */
  note(at: Repository, pr: number, headSha: string): boolean {
    const key = keyOf(at, pr, headSha);
    const since = this.#since.get(key) ?? this.#now();
    if (this.#since.size >= maxKept) this.#since.clear();
    this.#since.set(key, since);
    return this.#now() - since >= lagMs;
  }

  /** To be called when the head is not blocked any more, or the reason is known. */
  clear(at: Repository, pr: number, headSha: string): void {
    this.#since.delete(keyOf(at, pr, headSha));
  }
}

function keyOf({ owner, repo }: Repository, pr: number, headSha: string): string {
  return `${owner}/${repo}#${pr}@${headSha}`.toLowerCase();
}
