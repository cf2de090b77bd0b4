import { GraphqlResponseError } from "@octokit/graphql";
import * as z from "zod";
import { checkShape } from "../client/check-answers.ts";
import type { NodeIds } from "../client/node-ids.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { forceBranch, removeBranch } from "./branches.ts";

export interface RefUpdate {
  readonly branch: string;
  /** The commit at which it must be now, or null if it must not exist. Left out: any. */
  readonly from?: string | null;
  /** The commit to move it to; null: delete it. */
  readonly to: string | null;
  /** Whether the change may drop commits. */
  readonly force?: boolean;
}

const mutation = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;
const doneShape = z.object({ updateRefs: z.object({}) });
const nowhere = "0".repeat(40);

/**
 * Changes branches by GraphQL: all or none of them, in one call, and with a real compare-and-swap, which REST lacks.
 * https://docs.github.com/en/graphql/reference/mutations#updaterefs
 */
export class RefUpdater {
  readonly #ids: NodeIds;
  /** Whether GitHub lacks the mutation, as older Enterprise Servers do. */
  #isMissing = false;

  constructor(ids: NodeIds) {
    this.#ids = ids;
  }

  /** False: refused, and nothing has changed. A call to REST then gives the reason in a known form. */
  async update(api: RepositoryApi, updates: readonly RefUpdate[]): Promise<boolean> {
    if (this.#isMissing) return false;
    try {
      const repositoryId = await this.#ids.repository(api);
      const refUpdates = updates.map(({ branch, from, to, force = false }) => ({
        name: `refs/heads/${branch}`,
        afterOid: to ?? nowhere,
        ...(from === undefined ? {} : { beforeOid: from ?? nowhere }),
        force,
      }));
      const answer = await api.octokit.graphql(mutation, { input: { repositoryId, refUpdates } });
      checkShape(doneShape, answer, "POST /graphql");
      return true;
    } catch (error) {
      if (!(error instanceof GraphqlResponseError)) throw error;
      const errors = error.errors ?? [];
      this.#isMissing = errors.some(({ message }) => /updateRefs.* doesn't exist/i.test(message));
      return false;
    }
  }

  /** Makes a branch of our own point at a commit, regardless of where it pointed before. Uses REST if necessary. */
  async force(api: RepositoryApi, branch: string, to: string, exists: boolean): Promise<void> {
    if (!(await this.update(api, [{ branch, to, force: true }]))) await forceBranch(api, branch, to, exists);
  }
}

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
