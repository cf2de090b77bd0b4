import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { QueueRecord, QueueStore } from "../../store/queue/queue-store.ts";
import { accepted, type Outcome, refused } from "./outcome.ts";

export interface QueueAddress {
  readonly repo: RepositoryRef;
  readonly branch: string;
}

/** The page of a queue, or of a pull request in it; null when the dashboard has no public address. */
export type PageUrl = (queue: QueueAddress, pr?: number) => string | null;

/** A code host that this service supports. */
export interface ServedHost {
  /** `github.com`, or the host name of a GitHub Enterprise Server. */
  readonly name: string;
  readonly api: CodeHost;
}

/** Finds queues by their address, and the repository behind them. */
export class Directory {
  readonly #store: QueueStore;
  readonly #host: ServedHost;

  constructor(store: QueueStore, host: ServedHost) {
    this.#store = store;
    this.#host = host;
  }

  get codeHost(): CodeHost {
    return this.#host.api;
  }

  async find({ repo, branch }: QueueAddress): Promise<Outcome<QueueRecord>> {
    const unserved = this.checkHost(repo);
    if (unserved) return unserved;
    const record = await this.#store.find(repo, branch);
    return record ? accepted(record) : refused({ code: "QUEUE_NOT_FOUND", branch });
  }

  /** Refuses a repository on another host; null when the host is served. */
  checkHost(repo: RepositoryRef): Outcome<never> | null {
    if (repo.host.toLowerCase() === this.#host.name.toLowerCase()) return null;
    return refused({ code: "HOST_NOT_SERVED", host: repo.host, served: [this.#host.name] });
  }

  async get(queueId: string): Promise<QueueRecord> {
    const record = await this.#store.get(queueId);
    if (!record) throw new Error(`queue ${queueId} is not in the directory`);
    return record;
  }

  list(): Promise<readonly QueueRecord[]> {
    return this.#store.list();
  }

  /** The queues of a repository, on any branch. */
  async ofRepository(repo: RepositoryRef): Promise<readonly QueueRecord[]> {
    return (await this.#store.list()).filter((record) => sameRepository(record.repo, repo));
  }

  /** The ids of the App's installations on an account. There are several when the App was installed again. */
  async installationsOf(owner: string): Promise<ReadonlySet<number>> {
    const queues = await this.#store.list();
    const owned = queues.filter(({ repo }) => isSameName(repo.owner, owner) && this.checkHost(repo) === null);
    return new Set(owned.map(({ installationId }) => installationId));
  }

  /** The repository on the code host; null when the App is not installed on it. */
  async findInstalled(repo: RepositoryRef): Promise<InstalledRepository | null> {
    const [queue] = await this.ofRepository(repo);
    if (queue) return { ...repo, installationId: queue.installationId };
    const installationId = await this.codeHost.findInstallation(repo);
    return installationId === null ? null : { ...repo, installationId };
  }

  /** The queues of the repository with this id, which it keeps when it is renamed. */
  async ofRepositoryId(repositoryId: number): Promise<readonly QueueRecord[]> {
    return (await this.#store.list()).filter((record) => record.repositoryId === repositoryId);
  }
}

export function installed(record: QueueRecord): InstalledRepository {
  return { ...record.repo, installationId: record.installationId };
}

export function sameRepository(a: RepositoryRef, b: RepositoryRef): boolean {
  const key = (repo: RepositoryRef) => nameKey(`${repo.host}/${repo.owner}/${repo.name}`);
  return key(a) === key(b);
}
