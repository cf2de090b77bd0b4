import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { RepositoryPermission } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import { isDenial } from "../workers/retry.ts";

/** GitHub says nothing when a permission is withdrawn. So a reading is used for at most this long. */
const trustedMs = 5 * 60_000;
/** During incidents, GitHub also denies what is permitted and exists. */
const denialTrustedMs = 30_000;
/** About 100 bytes each. */
const readingsKept = 20_000;

/**
 * What people who have signed in may do in a repository, as GitHub tells it. It is read with the App's own access. A repository
 * without a queue belongs to nobody here.
 */
export class RepositoryRoles {
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #readings = new Map<string, { until: number; readonly role: Promise<RepositoryPermission> }>();

  constructor(directory: Directory, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /**
   * @param isFresh whether an earlier reading will not do, because something is about to change
   * @throws a code host failure when GitHub does not tell
   */
  async roleOf(
    person: { readonly id: number; readonly login: string },
    repo: RepositoryRef,
    isFresh = false,
  ): Promise<RepositoryPermission> {
    const key = nameKey(`${person.id} ${repo.host}/${repo.owner}/${repo.name}`);
    const known = this.#readings.get(key);
    if (known && !isFresh && this.#clock.now() < known.until) return known.role;
    const read = this.#read(person, repo);
    const reading = {
      until: this.#clock.now() + trustedMs,
      role: read.then((role) => role ?? "none", noneIfDenied),
    };
    this.#readings.delete(key);
    this.#readings.set(key, reading);
    for (const oldest of this.#readings.keys()) {
      if (this.#readings.size <= readingsKept) break;
      this.#readings.delete(oldest);
    }
    read.then(
      (role) => role === null && this.#readings.delete(key),
      (error) => {
        if (isDenial(error)) reading.until = this.#clock.now() + denialTrustedMs;
        else this.#readings.delete(key);
      },
    );
    return reading.role;
  }

  /** Null when the repository has no queue. That is not remembered: it may get one, and anyone can ask for any name. */
  async #read(
    { id, login }: { readonly id: number; readonly login: string },
    repo: RepositoryRef,
  ): Promise<RepositoryPermission | null> {
    const [queue] = await this.#directory.ofRepository(repo);
    return queue ? this.#directory.codeHost.permissionOf(installed(queue), login, id) : null;
  }
}

/** The account or the repository is gone, or the App was removed from it. */
function noneIfDenied(error: unknown): RepositoryPermission {
  if (isDenial(error)) return "none";
  throw error;
}
