import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { RepositoryPermission } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import { isCodeHostFailure } from "../workers/retry.ts";

/** GitHub says nothing when a permission is withdrawn. So a reading is used for at most this long. */
const trustedMs = 5 * 60_000;
/** About 100 bytes each. */
const readingsKept = 20_000;

/**
 * What people who have signed in may do in a repository, as GitHub tells it. It is read with the App's own access. A repository
 * without a queue belongs to nobody here.
 */
export class RepositoryRoles {
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #readings = new Map<
    string,
    { readonly at: number; readonly role: Promise<RepositoryPermission> }
  >();

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
    if (known && !isFresh && this.#clock.now() - known.at < trustedMs) return known.role;
    const role = this.#read(person, repo);
    this.#readings.delete(key);
    this.#readings.set(key, { at: this.#clock.now(), role });
    for (const oldest of this.#readings.keys()) {
      if (this.#readings.size <= readingsKept) break;
      this.#readings.delete(oldest);
    }
    role.catch(() => this.#readings.delete(key));
    return role;
  }

  async #read(
    { id, login }: { readonly id: number; readonly login: string },
    repo: RepositoryRef,
  ): Promise<RepositoryPermission> {
    const [queue] = await this.#directory.ofRepository(repo);
    if (!queue) return "none";
    try {
      return await this.#directory.codeHost.permissionOf(installed(queue), login, id);
    } catch (error) {
      // The account or the repository is gone, or the App was removed from it.
      if (isCodeHostFailure(error) && (error.kind === "not_found" || error.kind === "denied")) return "none";
      throw error;
    }
  }
}
