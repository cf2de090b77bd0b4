import type { PullRequestFacts } from "../engine/model/pull-request-facts.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { HeadLog } from "../ports/head-log.ts";
import type { Clock } from "../ports/runtime.ts";
import { OlderReading } from "./older-reading.ts";

interface Known {
  /** When it was changed last, by the code host's clock. */
  readonly changedAt: number;
  /** Since when only older readings have come; null = since none. */
  readonly olderSince: number | null;
}

/** So many pull requests are remembered. */
const maxKnown = 20_000;

/**
 * Judges what is read of pull requests. The code host's replicas lag, so what was true before the last known change is no news: an old
 * head, a draft that is ready by now, or a pull request that was closed and is open again would take a good entry out of its queue.
 */
export class PullRequestReadings {
  readonly #heads: Pick<HeadLog, "last">;
  readonly #clock: Clock;
  readonly #confirmMs: number;
  readonly #known = new Map<string, Known>();

  /** @param confirmMs after so long, older readings are believed all the same */
  constructor(heads: Pick<HeadLog, "last">, clock: Clock, confirmMs: number) {
    this.#heads = heads;
    this.#clock = clock;
    this.#confirmMs = confirmMs;
  }

  /** A pull request was changed at a time, in milliseconds since the epoch by the code host's clock. */
  note(repo: RepositoryRef, pr: number, changedAt: number): void {
    const key = keyOf(repo, pr);
    const known = this.#known.get(key);
    if (known && known.changedAt > changedAt) return;
    // What was noted last is at the end, so that the first one is that which may be forgotten.
    this.#known.delete(key);
    this.#known.set(key, { changedAt, olderSince: null });
    const [first] = this.#known.size > maxKnown ? this.#known.keys() : [];
    if (first !== undefined) this.#known.delete(first);
  }

  /** @throws {OlderReading} it is from before the last known change */
  async expectNews(repo: RepositoryRef, pullRequest: PullRequestFacts): Promise<void> {
    const older = await this.findOlder(repo, pullRequest);
    if (older) throw older;
  }

  /** What to throw if a reading is from before the last known change; null: it is not, and is noted. */
  async findOlder(repo: RepositoryRef, pullRequest: PullRequestFacts): Promise<OlderReading | null> {
    if (!(await this.#isOlder(repo, pullRequest))) return null;
    return new OlderReading(`GitHub shows #${pullRequest.number} as it was before its last change`);
  }

  async #isOlder(repo: RepositoryRef, { number, headSha, updatedAt }: PullRequestFacts): Promise<boolean> {
    if (updatedAt === undefined) return false;
    const key = keyOf(repo, number);
    const known = this.#known.get(key) ?? (await this.#recall(repo, number, headSha));
    if (!known || updatedAt >= known.changedAt) {
      this.note(repo, number, updatedAt);
      return false;
    }
    const now = this.#clock.now();
    const olderSince = known.olderSince ?? now;
    const isBelieved = now - olderSince >= this.#confirmMs;
    this.#known.set(key, isBelieved ? { changedAt: updatedAt, olderSince: null } : { ...known, olderSince });
    return !isBelieved;
  }

  /** What is known of it from before the service started: its last head, if this is another one. */
  async #recall(repo: RepositoryRef, pr: number, headSha: string): Promise<Known | null> {
    const head = await this.#heads.last(repo, pr);
    return head && head.sha !== headSha ? { changedAt: head.at, olderSince: null } : null;
  }
}

function keyOf({ host, owner, name }: RepositoryRef, pr: number): string {
  return `${host}/${owner}/${name}#${pr}`.toLowerCase();
}
