import { createHash } from "node:crypto";
import type { MergeMethod } from "../../engine/model/settings.ts";
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
  /** Trees by origin, the oldest first. */
  readonly #trees = new Map<string, string>();
  /** Origins by repository and commit, the oldest first. */
  readonly #origins = new Map<string, string>();

  /** The tree of an earlier merge; null: unknown. */
  find(merging: Merging): string | null {
    return this.#trees.get(this.#originOf(merging)) ?? null;
  }

  /** Records the commit and the tree that a merge made. */
  note(merging: Merging, commitSha: string, treeSha: string): void {
    const origin = this.#originOf(merging);
    remember(this.#trees, origin, treeSha);
    remember(this.#origins, commitKey(merging.at, commitSha), origin);
  }

  #originOf({ at, method, parentSha, headSha }: Merging): string {
    const parent = commitKey(at, parentSha);
    const origin = [this.#origins.get(parent) ?? parent, method, headSha];
    return createHash("sha256").update(origin.join(" ")).digest("base64");
  }
}

const commitKey = ({ owner, repo }: Repository, sha: string): string => `${owner}/${repo}:${sha}`;

function remember(map: Map<string, string>, key: string, value: string): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > maxRemembered ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
