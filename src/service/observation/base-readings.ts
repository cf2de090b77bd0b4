import { baseTip, type QueueState } from "../../engine/model/queue.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import { isCodeHostFailure } from "../workers/retry.ts";

interface Older {
  /** The known base when this commit was first read. */
  readonly than: string;
  readonly sha: string;
  /** When it was first read, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Judges readings of base branches. The code host's replicas lag, so a commit older than the known one may be
 * stale. A real rewind of the branch is accepted when it was read for a while, or when a push webhook also
 * reports it.
 */
export class BaseReadings {
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #confirmMs: number;
  /** By queue id. */
  readonly #older = new Map<string, Older>();
  /** By queue id: the commit that a push webhook reported for a forced push. */
  readonly #forced = new Map<string, string>();

  /** @param confirmMs how long an older commit must be read before it is accepted */
  constructor(directory: Directory, clock: Clock, confirmMs: number) {
    this.#directory = directory;
    this.#clock = clock;
    this.#confirmMs = confirmMs;
  }

  /** Records a forced push to the base that a webhook reported. */
  noteForcedPush(queueId: string, sha: string): void {
    this.#forced.set(queueId, sha);
  }

  /** Records that a reading matched the known base. */
  confirm(queueId: string): void {
    this.#older.delete(queueId);
  }

  /**
   * Whether a reading of the base is stale and must be ignored.
   *
   * @param reading `askedAt`: when the code host was asked, in milliseconds since the epoch
   */
  async isOlder(
    state: QueueState,
    { sha, askedAt }: { readonly sha: string; readonly askedAt: number },
    known = baseTip(state),
  ): Promise<boolean> {
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
    return askedAt - older.since < this.#confirmMs;
  }

  async #isBehind({ id, base }: QueueState, sha: string, known: string): Promise<boolean> {
    if (base.some((step) => step.sha === sha)) return true;
    const { codeHost } = this.#directory;
    try {
      const repo = installed(await this.#directory.get(id));
      return (await codeHost.compareHead(repo, known, sha)).aheadBy === 0;
    } catch (error) {
      // One of the commits no longer exists, so the branch was rewritten.
      if (isCodeHostFailure(error) && error.kind === "not_found") return false;
      throw error;
    }
  }
}
