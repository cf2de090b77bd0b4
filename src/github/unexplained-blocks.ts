import type { Repository } from "./branches.ts";

/** GitHub's mergeable state lags behind checks that have just ended: a block without a reason counts once it has lasted so long. */
const lagMs = 2_500;
const maxKept = 1_000;

/** Since when GitHub has blocked heads for reasons that nobody finds. */
export class UnexplainedBlocks {
  readonly #now: () => number;
  readonly #since = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Notes that a head is blocked without a known reason. Answers whether that has lasted long enough to be said. */
  note(at: Repository, pr: number, headSha: string): boolean {
    const key = keyOf(at, pr, headSha);
    const since = this.#since.get(key) ?? this.#now();
    if (this.#since.size >= maxKept) this.#since.clear();
    this.#since.set(key, since);
    return this.#now() - since >= lagMs;
  }

  /** It is not blocked any more, or the reason is known. */
  clear(at: Repository, pr: number, headSha: string): void {
    this.#since.delete(keyOf(at, pr, headSha));
  }
}

function keyOf({ owner, repo }: Repository, pr: number, headSha: string): string {
  return `${owner}/${repo}#${pr}@${headSha}`.toLowerCase();
}
