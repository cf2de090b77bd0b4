import { createdAt, isByOther } from "../../engine/model/instance-id.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock, Ids, Logger } from "../../ports/code-host/runtime.ts";
import type { Store } from "../../store/create-stores.ts";

/** A service that writes as our App from another database, older than ours. */
export interface OlderInstance {
  readonly id: string;
  /** A pull request on which it has commented. */
  readonly pr: number;
  /** When it wrote that comment, by the code host's clock. */
  readonly at: number;
}

/** A service that has not written for this time counts as stopped. */
const silentMs = 60 * 60_000;

/**
 * Notices another service that uses the same App from another database, by the ids in the comments of the App. The younger service stops:
 * it may have been started by mistake, from a backup or for a test.
 */
export class Instances {
  readonly #stores: Pick<Store, "instances" | "cursors">;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #log: Logger;
  #own: Promise<string> | null = null;
  readonly #younger = new Set<string>();

  constructor(stores: Pick<Store, "instances" | "cursors">, clock: Clock, ids: Ids, log: Logger) {
    this.#stores = stores;
    this.#clock = clock;
    this.#ids = ids;
    this.#log = log;
  }

  /** The id of this service, which its replicas share: when it was created, and a random part. */
  own(): Promise<string> {
    this.#own ??= this.#stores.instances.own(
      `${this.#clock.now().toString(36)}-${this.#ids.next().slice(0, 8)}`,
    );
    this.#own.catch(() => {
      this.#own = null;
    });
    return this.#own;
  }

  /** Notes who wrote a comment of our App. Returns whether the older service was not known before. */
  async note(repo: RepositoryRef, seen: OlderInstance): Promise<boolean> {
    const own = await this.own();
    if (!isByOther(own, seen.id, seen.at)) return false;
    if (createdAt(seen.id) > createdAt(own)) {
      this.#warnOnce(repo, seen);
      return false;
    }
    const known = await this.older(repo);
    if (known === null || known.at < seen.at)
      await this.#stores.cursors.put(cursorOf(repo), JSON.stringify(seen));
    return known === null && (await this.older(repo)) !== null;
  }

  /** The older service that has written in a repository during the last hour; null = there is none. */
  async older(repo: RepositoryRef): Promise<OlderInstance | null> {
    const value = await this.#stores.cursors.get(cursorOf(repo));
    if (value === null) return null;
    const seen: OlderInstance = JSON.parse(value);
    return this.#clock.now() - seen.at < silentMs ? seen : null;
  }

  #warnOnce({ owner, name }: RepositoryRef, { id, pr }: OlderInstance): void {
    if (this.#younger.has(id)) return;
    this.#younger.add(id);
    this.#log.warn(
      { code: "YOUNGER_INSTANCE", repo: `${owner}/${name}`, pr, instance: id },
      "another service with this App, but with another database, has commented; it stops when it notices this one",
    );
  }
}

function cursorOf({ host, owner, name }: RepositoryRef): string {
  return nameKey(`older-instance/${host}/${owner}/${name}`);
}
