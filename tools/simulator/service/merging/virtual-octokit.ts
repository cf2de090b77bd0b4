import type { Octokit } from "@octokit/rest";
import type { MergeMethod } from "../../../../src/engine/model/settings.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import type { VirtualDependencies } from "../virtual-dependencies.ts";
import type { AsyncMerges } from "./async-merges.ts";
import { GuardedCalls, type GuardedCallsParts } from "./guarded-calls.ts";
import type { RequestedMerge } from "./merge-effects.ts";
import { graphqlRefusal, refusalBy } from "./octokit-errors.ts";
import { pullRequestNode } from "./pull-request-node.ts";

export interface OctokitParts extends GuardedCallsParts {
  readonly dependencies: VirtualDependencies;
  readonly asyncMerges: AsyncMerges;
}

const methods: Readonly<Record<string, MergeMethod>> = {
  ...{ merge: "merge_commit", squash: "squash", rebase: "rebase" },
};
const branchOf = (ref: string): string => ref.replace(/^(refs\/)?heads\//, "");

interface RefUpdates {
  readonly refUpdates: readonly {
    readonly name: string;
    readonly afterOid: string;
    readonly beforeOid?: string;
  }[];
}

interface MergeBody {
  readonly pull_number: number;
  readonly sha: string;
  readonly merge_method: string;
}

/** The part of Octokit by which the service merges, for one merge. */
export class VirtualOctokit {
  readonly #parts: OctokitParts;
  readonly #calls: GuardedCalls;

  constructor(parts: OctokitParts, repo: InstalledRepository) {
    this.#parts = parts;
    this.#calls = new GuardedCalls(parts, repo);
  }

  /** As its users know it. */
  get client(): Octokit {
    return this as unknown as Octokit;
  }

  readonly rest = {
    repos: {
      getBranch: async ({ branch }: { branch: string }) => {
        const sha = found(await this.#calls.readTip(branch));
        return { data: { commit: { sha, commit: { tree: { sha: this.#calls.treeOf(sha) } } } } };
      },
    },
    git: {
      getRef: async ({ ref }: { ref: string }) => ({
        data: { object: { sha: found(await this.#calls.readTip(branchOf(ref))) } },
      }),
      getCommit: ({ commit_sha: sha }: { commit_sha: string }) =>
        this.#calls.read("getCommit", () => ({ data: { sha, tree: { sha: this.#calls.treeOf(sha) } } })),
      updateRef: ({ ref, sha }: { ref: string; sha: string }) =>
        this.#calls.change("updateRef", () => {
          const refusal = this.#parts.effects.fastForward(branchOf(ref), sha);
          if (refusal !== null) throw refusalBy(422, { message: refusal });
        }),
    },
    pulls: {
      get: async ({ pull_number: pr }: { pull_number: number }) => {
        const [pull] = await this.#calls.readPulls([pr]);
        const merged = pull?.state === "merged";
        const merged_by = merged ? { type: this.#parts.model.mergedByHand.has(pr) ? "User" : "Bot" } : null;
        return { data: { number: pr, merged, merged_by, merge_commit_sha: pull?.mergedSha } };
      },
      merge: (body: MergeBody) =>
        this.#calls.change("putMerge", () => {
          const done = this.#parts.effects.merge(this.#requested(body));
          if ("sha" in done) return { data: done };
          throw refusalBy(done.status, { message: done.message });
        }),
    },
  };

  async graphql(query: string, variables: Record<string, unknown>): Promise<object> {
    if (query.includes("updateRefs")) return this.#updateRefs(variables.input as RefUpdates);
    if (query.includes("object(expression")) {
      const oid = await this.#calls.readTip(branchOf(String(variables.tip)));
      return {
        repository: { object: oid === null ? null : { oid, tree: { oid: this.#calls.treeOf(oid) } } },
      };
    }
    const names = [...query.matchAll(/p(\d+): pullRequest\(number: \1\)/g)];
    if (names.length > 0) return this.#pulls(names.map(([, pr]) => Number(pr)));
    if (/repository\([^)]*\) \{ id \}/.test(query))
      return this.#calls.read("readRepositoryId", () => ({ repository: { id: "R_1" } }));
    throw new Error(`the simulation does not know the query ${query}`);
  }

  request(route: string, values: MergeBody & { readonly uuid: string }): Promise<{ data: object }> {
    const { asyncMerges, facts } = this.#parts;
    if (route.startsWith("PUT "))
      return this.#calls.change("requestMerge", () => {
        const { status, data } = asyncMerges.request(this.#requested(values), facts(values.pull_number));
        if (status >= 400) throw refusalBy(status, data);
        return { data };
      });
    return this.#calls.read("readMerge", () => {
      const data = asyncMerges.poll(values.uuid);
      if (data === null) throw refusalBy(404, { message: "Not Found" });
      return { data };
    });
  }

  #requested({ pull_number: pr, sha: headSha, merge_method }: MergeBody): RequestedMerge {
    return { pr, headSha, method: methods[merge_method] ?? "merge_commit", seen: new Map(this.#calls.seen) };
  }

  #updateRefs({ refUpdates: [update] }: RefUpdates): Promise<object> {
    if (!update) throw new Error("nothing is to be updated");
    const branch = branchOf(update.name);
    const { effects } = this.#parts;
    return this.#calls.change("updateRefs", () => {
      const isAt = effects.tipOf(branch) === update.beforeOid;
      const refusal = isAt ? effects.fastForward(branch, update.afterOid) : `${branch} is at another commit`;
      if (refusal !== null) throw graphqlRefusal("UNPROCESSABLE", refusal);
      return { updateRefs: { clientMutationId: null } };
    });
  }

  async #pulls(prs: readonly number[]): Promise<object> {
    const read = await this.#calls.readPulls(prs);
    const node = (pull: (typeof read)[number]) =>
      pullRequestNode(pull, this.#parts.dependencies.of(pull.number));
    return { repository: Object.fromEntries(read.map((pull) => [`p${pull.number}`, node(pull)])) };
  }
}

function found(sha: string | null): string {
  if (sha === null) throw refusalBy(404, { message: "Not Found" });
  return sha;
}
