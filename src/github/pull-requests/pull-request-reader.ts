import type { PullRequestFacts } from "../../engine/model/entry.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { ProtectionReader } from "../access/protection.ts";
import type { StatusApps } from "../checks/statuses.ts";
import { NotFoundByReading } from "../client/code-host-error.ts";
import type { NodeIds } from "../client/node-ids.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { type ReadPullRequest, readPullRequest, withBlockers } from "./pull-request.ts";
import { maxGroup, readPullRequestGroup } from "./pull-request-group.ts";

interface Reading {
  readonly number: number;
  readonly resolve: (pull: ReadPullRequest | null) => void;
  readonly reject: (error: unknown) => void;
}

interface Line {
  readonly waiting: Reading[];
  busy: boolean;
}

/** After this time, waiting readings no longer wait for a slow call. */
const patienceMs = 500;

/**
 * Reads pull requests. Readings of one repository that are requested at the same time share one call: while a call is in progress,
 * new readings wait for the next one. So a hundred submissions at once cost a few calls, and a single reading begins at once. A
 * result is always read after its request.
 */
export class PullRequestReader {
  readonly #protection: ProtectionReader;
  readonly #apps: StatusApps;
  readonly #ids: NodeIds;
  readonly #lines = new Map<string, Line>();

  /** @param ids receives the global ids of the pull requests that are read */
  constructor(protection: ProtectionReader, apps: StatusApps, ids: NodeIds) {
    this.#protection = protection;
    this.#apps = apps;
    this.#ids = ids;
  }

  async read(api: RepositoryApi, number: number): Promise<PullRequestFacts | null> {
    const key = nameKey(`${api.at.owner}/${api.at.repo}`);
    const line = this.#lines.get(key) ?? { waiting: [], busy: false };
    this.#lines.set(key, line);
    const read = new Promise<ReadPullRequest | null>((resolve, reject) => {
      line.waiting.push({ number, resolve, reject });
    });
    if (!line.busy) {
      line.busy = true;
      // Readings that are requested at the same time share the first call.
      setImmediate(() => this.#readNext(api, key, line));
    }
    const pull = await read;
    return pull && withBlockers(api, this.#protection, this.#apps, pull);
  }

  #readNext(api: RepositoryApi, key: string, line: Line): void {
    const group = line.waiting.splice(0, maxGroup);
    line.busy = group.length > 0;
    if (!line.busy) {
      this.#lines.delete(key);
      return;
    }
    let isNextDue = true;
    const next = () => {
      if (isNextDue) this.#readNext(api, key, line);
      isNextDue = false;
    };
    const patience = setTimeout(next, patienceMs);
    patience.unref();
    void settle(api, group, this.#ids).finally(() => {
      clearTimeout(patience);
      next();
    });
  }
}

/** Reads a group and settles each of its readings; never rejects. */
async function settle(api: RepositoryApi, group: readonly Reading[], ids: NodeIds): Promise<void> {
  const numbers = [...new Set(group.map(({ number }) => number))];
  try {
    const read = await readPullRequestGroup(api, numbers, ids);
    const isRead = ({ number }: Reading) => Boolean(read?.get(number));
    for (const { number, resolve } of group.filter(isRead)) resolve(read?.get(number) ?? null);
    // Also reads pull requests that the group lacks: REST may find what GraphQL misses.
    await settleEach(
      api,
      group.filter((reading) => !isRead(reading)),
    );
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

async function settleEach(api: RepositoryApi, group: readonly Reading[]): Promise<void> {
  const reads = new Map<number, Promise<ReadPullRequest | null>>();
  for (const { number } of group)
    if (!reads.has(number)) reads.set(number, readWithConfirmation(api, number));
  await Promise.all(
    group.map(async ({ number, resolve, reject }) => {
      try {
        resolve((await reads.get(number)) ?? null);
      } catch (error) {
        reject(error);
      }
    }),
  );
}

/**
 * Reads a single pull request. During incidents, GitHub answers 404 for existing ones, so both REST and GraphQL have to confirm an
 * absence.
 */
async function readWithConfirmation(api: RepositoryApi, number: number): Promise<ReadPullRequest | null> {
  const pull = await readPullRequest(api, number);
  if (pull !== null) return pull;
  const group = await readPullRequestGroup(api, [number]);
  if (group === null) throw new NotFoundByReading(`GitHub does not find #${number}`);
  return group.get(number) ?? null;
}
