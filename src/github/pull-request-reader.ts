import type { Octokit } from "@octokit/rest";
import type { PullRequestFacts } from "../engine/model/pull-request-facts.ts";
import type { Repository } from "./branches.ts";
import { CodeHostError } from "./code-host-error.ts";
import type { NodeIds } from "./node-ids.ts";
import type { ProtectionReader } from "./protection.ts";
import { type ReadPullRequest, readPullRequest, withBlockers } from "./pull-request.ts";
import { maxGroup, readPullRequestGroup } from "./pull-request-group.ts";
import type { StatusApps } from "./status-apps.ts";
import { UnexplainedBlocks } from "./unexplained-blocks.ts";

interface Reading {
  readonly number: number;
  readonly resolve: (pull: ReadPullRequest | null) => void;
  readonly reject: (error: unknown) => void;
}

interface Line {
  readonly waiting: Reading[];
  busy: boolean;
}

/** After which those who wait no longer wait for one that is slow. */
const patienceMs = 500;

/**
 * Reads pull requests, those of one repository that are wanted at the same time in one call: while one call is under way, who
 * comes waits for the next. So a hundred submissions at once cost a few calls, and who comes alone is read at once. What is
 * answered was always read after it was asked for.
 */
export class PullRequestReader {
  readonly #protection: ProtectionReader;
  readonly #apps: StatusApps;
  readonly #ids: NodeIds;
  readonly #blocks: UnexplainedBlocks;
  readonly #lines = new Map<string, Line>();

  /** @param ids keeps the global ids of what is read */
  constructor(
    protection: ProtectionReader,
    apps: StatusApps,
    ids: NodeIds,
    blocks: UnexplainedBlocks = new UnexplainedBlocks(),
  ) {
    this.#blocks = blocks;
    this.#protection = protection;
    this.#apps = apps;
    this.#ids = ids;
  }

  async read(octokit: Octokit, at: Repository, number: number): Promise<PullRequestFacts | null> {
    const key = `${at.owner}/${at.repo}`.toLowerCase();
    const line = this.#lines.get(key) ?? { waiting: [], busy: false };
    this.#lines.set(key, line);
    const read = new Promise<ReadPullRequest | null>((resolve, reject) => {
      line.waiting.push({ number, resolve, reject });
    });
    if (!line.busy) {
      line.busy = true;
      // Those who ask at the same time share the first call.
      setImmediate(() => this.#readNext(octokit, at, key, line));
    }
    const pull = await read;
    return pull && withBlockers(octokit, at, this.#protection, this.#apps, this.#blocks, pull);
  }

  #readNext(octokit: Octokit, at: Repository, key: string, line: Line): void {
    const group = line.waiting.splice(0, maxGroup);
    line.busy = group.length > 0;
    if (!line.busy) {
      this.#lines.delete(key);
      return;
    }
    let isNextDue = true;
    const next = () => {
      if (isNextDue) this.#readNext(octokit, at, key, line);
      isNextDue = false;
    };
    const patience = setTimeout(next, patienceMs);
    patience.unref();
    void settle(octokit, at, group, this.#ids).finally(() => {
      clearTimeout(patience);
      next();
    });
  }
}

/** Reads a group and tells each of it; never rejects. */
async function settle(
  octokit: Octokit,
  at: Repository,
  group: readonly Reading[],
  ids: NodeIds,
): Promise<void> {
  const numbers = [...new Set(group.map(({ number }) => number))];
  try {
    const read = await readPullRequestGroup(octokit, at, numbers, ids);
    const isRead = ({ number }: Reading) => Boolean(read?.get(number));
    for (const { number, resolve } of group.filter(isRead)) resolve(read?.get(number) ?? null);
    // Also those that the group does not have: what one way misses, the other may find.
    await settleEach(
      octokit,
      at,
      group.filter((reading) => !isRead(reading)),
    );
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

async function settleEach(octokit: Octokit, at: Repository, group: readonly Reading[]): Promise<void> {
  const reads = new Map<number, Promise<ReadPullRequest | null>>();
  for (const { number } of group) if (!reads.has(number)) reads.set(number, readSurely(octokit, at, number));
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

/** Reads a pull request by itself. GitHub's incidents answer 404 for ones that are there: an absence takes two to be believed. */
async function readSurely(octokit: Octokit, at: Repository, number: number): Promise<ReadPullRequest | null> {
  const pull = await readPullRequest(octokit, at, number);
  if (pull !== null) return pull;
  const group = await readPullRequestGroup(octokit, at, [number]);
  if (group === null) throw new CodeHostError("not_found", `GitHub does not find #${number}`);
  return group.get(number) ?? null;
}
