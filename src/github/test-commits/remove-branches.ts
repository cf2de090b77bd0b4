import type { RepositoryApi } from "../client/repository-api.ts";
import { removeBranch } from "./branches.ts";
import type { RefUpdater } from "./update-refs.ts";

interface Removal {
  readonly branch: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** How long a removal waits for others that can share its call. */
const gatherMs = 20;

/** Removes branches. Removals that are requested at the same time share one call. */
export class BranchRemovals {
  readonly #refs: RefUpdater;
  /** Waiting removals by repository. */
  readonly #waiting = new Map<string, Removal[]>();

  constructor(refs: RefUpdater) {
    this.#refs = refs;
  }

  /** Resolves once the branch is gone; no error when it was gone already. */
  remove(api: RepositoryApi, branch: string): Promise<void> {
    const key = `${api.at.owner}/${api.at.repo}`;
    return new Promise((done, failed) => {
      const waiting = this.#waiting.get(key);
      if (waiting) return void waiting.push({ branch, done, failed });
      this.#waiting.set(key, [{ branch, done, failed }]);
      setTimeout(() => this.#removeAll(api, key), gatherMs);
    });
  }

  async #removeAll(api: RepositoryApi, key: string): Promise<void> {
    const removals = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    try {
      const branches = new Set(removals.map(({ branch }) => branch));
      const updates = [...branches].map((branch) => ({ branch, to: null }));
      // If one branch is gone already, the call fails for all.
      if (!(await this.#refs.update(api, updates)))
        for (const branch of branches) await removeBranch(api, branch);
      for (const { done } of removals) done();
    } catch (error) {
      for (const { failed } of removals) failed(error);
    }
  }
}
