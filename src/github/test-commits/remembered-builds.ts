import { createHash } from "node:crypto";
import type { MergeMethod } from "../../engine/model/settings.ts";
import { BoundedMap } from "../client/bounded-map.ts";
import type { Repository } from "../client/repository-api.ts";

/** A merge of a head onto a commit. */
export interface Merging {
  readonly at: Repository;
  readonly method: MergeMethod;
  readonly parentSha: string;
  readonly headSha: string;
}

const maxRemembered = 2_000;

/**
 * Remembers the tree that each merge made, so that a part of a failed batch is stacked without merging again. Commits that the same
 * method made from the same heads and the same commit count as equal: they differ only in time and message. This is only a shortcut
 * within one process.
 */
export class MergedTrees {
  /** By origin. */
  readonly #trees = new BoundedMap<string, string>(maxRemembered);
  /** By repository and commit. */
  readonly #origins = new BoundedMap<string, string>(maxRemembered);

  /** The tree of an earlier merge; null: unknown. */
  find(merging: Merging): string | null {
    return this.#trees.get(this.#originOf(merging)) ?? null;
  }

  /** Records the commit and the tree that a merge made. */
  note(merging: Merging, commitSha: string, treeSha: string): void {
    const origin = this.#originOf(merging);
    this.#trees.set(origin, treeSha);
    this.#origins.set(commitKey(merging.at, commitSha), origin);
  }

  #originOf({ at, method, parentSha, headSha }: Merging): string {
    const parent = commitKey(at, parentSha);
    const origin = [this.#origins.get(parent) ?? parent, method, headSha];
    return createHash("sha256").update(origin.join(" ")).digest("base64");
  }
}

const commitKey = ({ owner, repo }: Repository, sha: string): string => `${owner}/${repo}:${sha}`;

/** GitHub keeps commits that are on no branch for weeks. */
const keptMs = 10 * 60_000;
const maxKept = 5_000;

/**
 * Remembers what a build has made at GitHub, so that a repeated attempt continues where the last one failed. A build of many commits makes
 * hundreds of calls, and would never end while some of them fail. Nothing is shared with other builds: a commit that was tested once has
 * checks already. This is only a shortcut within one process.
 */
export class BuildProgress {
  readonly #now: () => number;
  /** By build and step. */
  readonly #made = new BoundedMap<string, { readonly at: number; readonly result: unknown }>(maxKept);

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Returns the result of a step of a build; null = it is not known.
   *
   * @param step what determines the result
   */
  find<T>(build: string, step: readonly string[]): T | null {
    const known = this.#made.get(keyOf(build, step));
    return known && this.#now() - known.at < keptMs ? (known.result as T) : null;
  }

  note<T>(build: string, step: readonly string[], result: T): T {
    this.#made.set(keyOf(build, step), { at: this.#now(), result });
    return result;
  }

  async once<T>(build: string, step: readonly string[], take: () => Promise<T>): Promise<T> {
    return this.find<T>(build, step) ?? this.note(build, step, await take());
  }
}

const keyOf = (build: string, step: readonly string[]): string => [build, ...step].join(" ");
