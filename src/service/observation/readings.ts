import type { Entry, PullRequestFacts } from "../../engine/model/entry.ts";
import { nameKey } from "../../engine/model/names.ts";
import { baseTip, type QueueState, type RepositoryRef } from "../../engine/model/queue.ts";
import type { CodeHostFailure } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { HeadLog } from "../../store/queue/head-log.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import { isCodeHostFailure } from "../workers/retry.ts";

/** Judges whether a reading of the code host is older than the known state. */
export interface Readings {
  readonly bases: BaseReadings;
  readonly pulls: PullRequestReadings;
}

/**
 * What the code host shows is, or may be, out of date, because its replicas lag. It must be read again before a pull request is removed
 * because of it.
 */
export class OutdatedReading extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind = "busy";
  readonly retryAfterMs = null;
}

interface Older {
  /** The known base when this commit was first read. */
  readonly than: string;
  readonly sha: string;
  /** When it was first read, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Judges readings of base branches. The code host's replicas lag, so a commit older than the known one may be stale. A real rewind of the
 * branch is accepted when it has been read for some time, or when a push webhook also reports it.
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

interface Known {
  /** When it was last changed, by the code host's clock. */
  readonly changedAt: number;
  /** Since when all readings have been older than `changedAt`; null = the last one was not. */
  readonly olderSince: number | null;
  /** An older reading was accepted, so the time that the queue recorded no longer counts. */
  readonly isBelieved: boolean;
}

/** A pull request as the code host has just shown it. */
export interface PullRequestReading {
  readonly repo: RepositoryRef;
  readonly pullRequest: PullRequestFacts;
  /** When the code host was asked, in milliseconds since the epoch. This process may have been suspended since. */
  readonly askedAt: number;
  /** The entry after the reading: another process may have recorded a change meanwhile. */
  readonly entry: Pick<Entry, "updatedAt"> | undefined;
}

/** The maximum number of pull requests to remember. */
const maxKnown = 20_000;

/**
 * Judges readings of pull requests. The code host's replicas lag, so a state from before the last known
 * change is stale. An old head, a former draft state or a former closed state would wrongly dequeue an entry.
 */
export class PullRequestReadings {
  readonly #heads: Pick<HeadLog, "last">;
  readonly #clock: Clock;
  readonly #confirmMs: number;
  readonly #known = new Map<string, Known>();

  /** @param confirmMs after this time, older readings are accepted */
  constructor(heads: Pick<HeadLog, "last">, clock: Clock, confirmMs: number) {
    this.#heads = heads;
    this.#clock = clock;
    this.#confirmMs = confirmMs;
  }

  /** Records a change of a pull request, in milliseconds since the epoch by the code host's clock. */
  note(repo: RepositoryRef, pr: number, changedAt: number): void {
    const key = keyOf(repo, pr);
    const known = this.#known.get(key);
    if (known && known.changedAt > changedAt) return;
    // Re-inserting moves the key to the end, so that the first key is the least recently noted one.
    this.#known.delete(key);
    const isBelieved = known?.isBelieved === true && known.changedAt === changedAt;
    this.#known.set(key, { changedAt, olderSince: null, isBelieved });
    const [first] = this.#known.size > maxKnown ? this.#known.keys() : [];
    if (first !== undefined) this.#known.delete(first);
  }

  /**
   * Returns whether the reading is older than the last known change, and accepted nevertheless.
   *
   * @throws {OutdatedReading} the reading is from before the last known change
   */
  async expectNews(reading: PullRequestReading): Promise<{ readonly isBelieved: boolean }> {
    const older = await this.findOlder(reading);
    if (older) throw older;
    const { repo, pullRequest } = reading;
    return { isBelieved: this.isBelieved(repo, pullRequest.number) };
  }

  /** Whether readings of a pull request that are older than its last known change count. */
  isBelieved(repo: RepositoryRef, pr: number): boolean {
    return this.#known.get(keyOf(repo, pr))?.isBelieved ?? false;
  }

  /**
   * The error for a reading from before the last known change. Null when the reading is current; then it is
   * recorded.
   */
  async findOlder(reading: PullRequestReading): Promise<OutdatedReading | null> {
    const { pullRequest } = reading;
    if (!(await this.#isOlder(reading))) return null;
    return new OutdatedReading(`GitHub shows #${pullRequest.number} as it was before its last change`);
  }

  async #isOlder({ repo, pullRequest, askedAt, entry }: PullRequestReading): Promise<boolean> {
    const { number, headSha, updatedAt } = pullRequest;
    if (updatedAt === undefined) return false;
    const key = keyOf(repo, number);
    const known = this.#known.get(key) ?? (await this.#recall(repo, number, headSha));
    const recordedAt = known.isBelieved ? 0 : (entry?.updatedAt ?? 0);
    const changedAt = Math.max(known.changedAt, recordedAt);
    if (updatedAt >= changedAt) {
      this.note(repo, number, updatedAt);
      return false;
    }
    const olderSince = known.olderSince ?? this.#clock.now();
    const isBelieved = askedAt - olderSince >= this.#confirmMs;
    const believed = { changedAt: updatedAt, olderSince: null, isBelieved };
    this.#known.set(key, isBelieved ? believed : { changedAt, olderSince, isBelieved });
    return !isBelieved;
  }

  /** What was known before the service started: the last head, if it differs from this one. */
  async #recall(repo: RepositoryRef, pr: number, headSha: string): Promise<Known> {
    const head = await this.#heads.last(repo, pr);
    const changedAt = head && head.sha !== headSha ? head.at : 0;
    return { changedAt, olderSince: null, isBelieved: false };
  }
}

function keyOf({ host, owner, name }: RepositoryRef, pr: number): string {
  return nameKey(`${host}/${owner}/${name}#${pr}`);
}
