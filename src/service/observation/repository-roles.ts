import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { CodeHostFailure, RepositoryPermission } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Person } from "../../store/access/session-store.ts";
import type { CursorStore } from "../../store/leased/cursor-store.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import { isCodeHostFailure, isDenial } from "../workers/retry.ts";

const ranks: Readonly<Record<RepositoryPermission, number>> = { none: 0, read: 1, write: 2, admin: 3 };

/** Whether a role includes a permission. */
export function isAtLeast(role: RepositoryPermission, needed: RepositoryPermission): boolean {
  return ranks[role] >= ranks[needed];
}

/** GitHub does not report the withdrawal of a permission, so a reading is used for at most this long. */
const trustedMs = 5 * 60_000;
/** During incidents, GitHub also denies what is permitted and exists. */
const denialTrustedMs = 30_000;
/** GitHub allows an installation at least 5,000 calls an hour, and the queue needs most of them. */
const readingsAnHour = 1_000;
/** Anyone can ask for any name, and the App has 5,000 calls an hour of its own to look for repositories without a queue. */
const newRepositoriesAnHour = { ofPerson: 60, ofAll: 1_000 };
const hourMs = 3_600_000;
/** About 100 bytes each. */
const readingsKept = 20_000;

/**
 * Whether this is the first account that was seen with this login. API tokens and webhooks stay with the login when it passes to another
 * account, whose owners must not get them.
 */
export async function isFirstAccount(
  cursors: Pick<CursorStore, "get" | "put">,
  login: string,
  accountId: number,
): Promise<boolean> {
  const cursor = `account/${nameKey(login)}`;
  const first = await cursors.get(cursor);
  if (first === null) await cursors.put(cursor, String(accountId));
  return first === null || first === String(accountId);
}

/**
 * What people who have signed in may do in a repository, and which organisations they own, as read from GitHub. It is read with the App's
 * own access. A repository without a queue belongs to nobody here.
 */
export class RepositoryRoles {
  readonly #directory: Directory;
  readonly #cursors: Pick<CursorStore, "get" | "put">;
  readonly #clock: Clock;
  /** The readings of the current hour, by who may spend them. */
  readonly #spent = new Map<string, number>();
  #hour = 0;
  readonly #readings = new Map<string, { until: number; readonly role: Promise<RepositoryPermission> }>();

  constructor(directory: Directory, cursors: Pick<CursorStore, "get" | "put">, clock: Clock) {
    this.#directory = directory;
    this.#cursors = cursors;
    this.#clock = clock;
  }

  /**
   * Returns the role of a person.
   *
   * @param isFresh whether to ignore earlier readings, because something is about to change
   *
   * @throws a code host failure when GitHub does not answer
   */
  async roleOf(person: Person, repo: RepositoryRef, isFresh = false): Promise<RepositoryPermission> {
    const place = [repo.host, repo.owner, repo.name];
    const role = await this.#recentRole(person, place, isFresh, () => this.#read(person, repo, isFresh));
    // If only repositories with a queue failed when no reading is left, that would reveal which ones have a queue.
    const mayTell = role !== "none" || isFresh || this.#isLeft(ownerOf(repo), readingsAnHour);
    return mayTell ? role : tooManyVisitors();
  }

  /**
   * Whether a person owns an organisation, or is the account with this login. Without a queue, it belongs to nobody here.
   *
   * @param isFresh as for `roleOf`
   *
   * @throws a code host failure when GitHub does not answer
   */
  async isOwner(person: Person, account: string, isFresh = false): Promise<boolean> {
    const role = await this.#recentRole(person, [account], isFresh, async () => {
      const installations = await this.#directory.installationsOf(account);
      if (installations.size === 0) return null;
      if (!isFresh && !this.#maySpend(ownerOf({ owner: account }), readingsAnHour)) return tooManyVisitors();
      for (const id of installations) {
        const found = await this.#directory.codeHost.readOwnership(id, account, person);
        if (found && (await isFirstAccount(this.#cursors, account, found.accountId)) && found.isOwner)
          return "admin";
      }
      return "none";
    });
    return role === "admin";
  }

  /** @param read null = there is no queue */
  #recentRole(
    person: Person,
    place: readonly string[],
    isFresh: boolean,
    read: () => Promise<RepositoryPermission | null>,
  ): Promise<RepositoryPermission> {
    // Not joined by a character: names from addresses may contain any character.
    const key = nameKey(JSON.stringify([person.id, ...place]));
    const known = this.#readings.get(key);
    if (known && !isFresh && this.#clock.now() < known.until) return known.role;
    const asked = read();
    const reading = {
      until: this.#clock.now() + trustedMs,
      role: asked.then((role) => role ?? "none", noneIfDenied),
    };
    this.#readings.delete(key);
    this.#readings.set(key, reading);
    for (const oldest of this.#readings.keys()) {
      if (this.#readings.size <= readingsKept) break;
      this.#readings.delete(oldest);
    }
    asked.then(
      (role) => role === null && this.#readings.delete(key),
      (error) => {
        if (isDenial(error)) reading.until = this.#clock.now() + denialTrustedMs;
        else this.#readings.delete(key);
      },
    );
    return reading.role;
  }

  /**
   * The role in a repository that may have no queue yet. It is not remembered.
   *
   * @throws a code host failure when GitHub does not tell
   */
  async roleForFirstQueue(person: Person, repo: RepositoryRef): Promise<RepositoryPermission> {
    if (this.#directory.checkHost(repo) !== null) return "none";
    const { ofPerson, ofAll } = newRepositoriesAnHour;
    // A repository with a queue is counted and read, too. Otherwise the limit and the time would reveal which ones have a queue.
    if (!this.#maySpend(`person ${person.id}`, ofPerson) || !this.#maySpend("new repositories", ofAll))
      return tooManyVisitors();
    const found = await this.#directory.findInstalled(repo);
    if (found === null) return "none";
    return this.#directory.codeHost.permissionOf(found, person.login, person.id).catch(noneIfDenied);
  }

  /** Whether another reading is left in this hour. Limited, because anybody with an account on GitHub can sign in. */
  #maySpend(spender: string, most: number): boolean {
    const isLeft = this.#isLeft(spender, most);
    if (isLeft) this.#spent.set(spender, (this.#spent.get(spender) ?? 0) + 1);
    return isLeft;
  }

  #isLeft(spender: string, most: number): boolean {
    const hour = Math.floor(this.#clock.now() / hourMs);
    if (hour !== this.#hour) this.#spent.clear();
    this.#hour = hour;
    return (this.#spent.get(spender) ?? 0) < most;
  }

  /**
   * Null when the repository has no queue. That is not remembered, because a queue may be created and anyone can ask for any name. It is
   * not counted either, because it costs no call.
   */
  async #read(
    { id, login }: Person,
    repo: RepositoryRef,
    isFresh: boolean,
  ): Promise<RepositoryPermission | null> {
    const [queue] = await this.#directory.ofRepository(repo);
    if (!queue) return null;
    if (!isFresh && !this.#maySpend(ownerOf(repo), readingsAnHour)) return tooManyVisitors();
    return this.#directory.codeHost.permissionOf(installed(queue), login, id);
  }
}

/** Who spends readings of a repository. */
function ownerOf({ owner }: Pick<RepositoryRef, "owner">): string {
  return `owner ${nameKey(owner)}`;
}

/**
 * Keeps what is about repositories that somebody may read. It is not complete while GitHub does not tell about some of them, such as
 * those of one owner whose limit of calls is used up.
 *
 * @throws a code host failure when GitHub tells about none
 */
export async function keepVisible<Kept extends { readonly repo: RepositoryRef }>(
  all: readonly Kept[],
  mayRead: (repo: RepositoryRef) => Promise<boolean>,
): Promise<{ readonly visible: readonly Kept[]; readonly isComplete: boolean }> {
  const answers = await Promise.allSettled(all.map(({ repo }) => mayRead(repo)));
  const failures = answers.filter((answer) => answer.status === "rejected");
  const fatal = failures.find(({ reason }) => !isCodeHostFailure(reason) || failures.length === all.length);
  if (fatal) throw fatal.reason;
  const visible = all.filter((_, index) => {
    const answer = answers[index];
    return answer?.status === "fulfilled" && answer.value;
  });
  return { visible, isComplete: failures.length === 0 };
}

/** Fails in the same way as an outage of GitHub: pages say so, and show what is known. */
async function tooManyVisitors(): Promise<never> {
  const failure: Omit<CodeHostFailure, "message"> = {
    name: "CodeHostError",
    kind: "rate_limited",
    retryAfterMs: hourMs,
  };
  throw Object.assign(new Error("visitors have used up their share of the calls to GitHub"), failure);
}

/** The account or the repository is gone, or the App was removed from it. */
function noneIfDenied(error: unknown): RepositoryPermission {
  if (isDenial(error)) return "none";
  throw error;
}
