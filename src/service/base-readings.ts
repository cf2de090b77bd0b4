import { baseTip, type QueueState } from "../engine/model/queue.ts";
import type { Clock } from "../ports/runtime.ts";
import { type Directory, installed } from "./directory.ts";
import { isCodeHostFailure } from "./retry.ts";

interface Older {
  /** Where the base was when this was read for the first time. */
  readonly than: string;
  readonly sha: string;
  /** Since when it is read, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Judges what is read of base branches. The code host's replicas lag, so an older commit than the known one is no news. A branch that
 * was really rewound is believed when it has been read so for a while, or when a push webhook says so, too.
 */
export class BaseReadings {
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #confirmMs: number;
  /** By queue. */
  readonly #older = new Map<string, Older>();
  /** By queue: where a webhook said that the base was forced to. */
  readonly #forced = new Map<string, string>();

  /** @param confirmMs how long an older commit must have been read */
  constructor(directory: Directory, clock: Clock, confirmMs: number) {
    this.#directory = directory;
    this.#clock = clock;
    this.#confirmMs = confirmMs;
  }

  /** A webhook says that the base was forced to a commit. */
  noteForcedPush(queueId: string, sha: string): void {
    this.#forced.set(queueId, sha);
  }

  /** The base was read where it is known to be. */
  confirm(queueId: string): void {
    this.#older.delete(queueId);
  }

  /** Whether a reading of the base is an older one, which does not count. */
  async isOlder(state: QueueState, sha: string, known = baseTip(state)): Promise<boolean> {
    const { id } = state;
    if (known === null || sha === known || this.#forced.get(id) === sha) return false;
    const before = this.#older.get(id);
    const isSame = before?.sha === sha && before.than === known;
    if (!isSame && !(await this.#isBehind(state, sha, known))) {
      this.#older.delete(id);
      return false;
    }
    const older = isSame ? before : { than: known, sha, since: this.#clock.now() };
    this.#older.set(id, older);
    return this.#clock.now() - older.since < this.#confirmMs;
  }

  async #isBehind({ id, base }: QueueState, sha: string, known: string): Promise<boolean> {
    if (base.some((step) => step.sha === sha)) return true;
    const { codeHost } = this.#directory;
    try {
      const repo = installed(await this.#directory.get(id));
      return (await codeHost.compareHead(repo, known, sha)).aheadBy === 0;
    } catch (error) {
      // One of the commits is gone: the branch was rewritten.
      if (isCodeHostFailure(error) && error.kind === "not_found") return false;
      throw error;
    }
  }
}
