import type { Octokit } from "@octokit/rest";
import type { MergeMethod } from "../../../../src/engine/model/settings.ts";
import type { Objection } from "../../../../src/engine/reasons/objection.ts";
import { apiMethods } from "../../../../src/github/merging/async-merge.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { graphqlRefusal, queryFailure, refusalBy } from "../octokit/octokit-calls.ts";
import { commitOf, type VirtualDependencies } from "../virtual-pull-requests.ts";
import type { AsyncMerges, RequestedMerge } from "./merge-effects.ts";

import {
  branchOf,
  comparisonOf,
  MergingCalls,
  type MergingCallsParts,
  nowhere,
  type OwnBranches,
  pullRequestNode,
  type RefUpdate,
  restPull,
  updateRef,
} from "./merging-calls.ts";

export interface MergingOctokitParts extends MergingCallsParts {
  readonly dependencies: VirtualDependencies;
  readonly asyncMerges: AsyncMerges;
  readonly own: OwnBranches;
  /** Whether a rule demands that conversations are resolved. Another rule always demands an approval. */
  readonly demandsResolution: boolean;
}

/** Our names of GitHub's merge methods. */
const methods = new Map(Object.entries(apiMethods).map(([ours, theirs]) => [theirs, ours as MergeMethod]));

interface MergeBody {
  readonly pull_number: number;
  readonly sha: string;
  readonly merge_method: (typeof apiMethods)[MergeMethod];
}

interface MergeIntoBranch {
  readonly base: string;
  readonly head: string;
}

/** The part of Octokit by which the service builds test commits and merges, for one of these tasks. */
export class MergingOctokit {
  readonly #parts: MergingOctokitParts;
  readonly #calls: MergingCalls;

  constructor(parts: MergingOctokitParts, repo: InstalledRepository) {
    this.#parts = parts;
    this.#calls = new MergingCalls(parts, repo);
  }

  /** The client, with the type that its users expect. */
  get client(): Octokit {
    return this as unknown as Octokit;
  }

  readonly rest = {
    repos: {
      getBranch: async ({ branch }: { branch: string }) => {
        const sha = found(await this.#calls.readTip(branch));
        return {
          data: { commit: { sha, commit: { tree: { sha: this.#calls.treeOf(sha) } } }, protected: false },
        };
      },
      getBranchRules: () => this.#calls.read("getBranchRules", () => ({ data: [this.#reviewRule()] })),
      getCollaboratorPermissionLevel: () =>
        this.#calls.read("getPermission", () => ({ data: { permission: "write" } })),
      compareCommitsWithBasehead: ({ basehead }: { basehead: string }) =>
        this.#calls.read("compareCommits", () => ({ data: comparisonOf(this.#parts.model, basehead) })),
      merge: (into: MergeIntoBranch) => this.#calls.change("mergeHead", () => this.#mergeInto(into)),
    },
    git: {
      getRef: async ({ ref }: { ref: string }) => ({
        data: { object: { sha: found(await this.#calls.readTip(branchOf(ref))) } },
      }),
      getCommit: ({ commit_sha: sha }: { commit_sha: string }) =>
        this.#calls.read("getCommit", () => ({ data: { sha, tree: { sha: this.#calls.treeOf(sha) } } })),
      createCommit: ({ tree, parents: [parent = ""] }: { tree: string; parents: readonly string[] }) =>
        this.#calls.change("createCommit", () => ({ data: { sha: this.#parts.model.create(tree, parent) } })),
      createRef: ({ ref, sha }: { ref: string; sha: string }) =>
        this.#calls.change("createRef", () =>
          this.#writeRef({ name: ref, beforeOid: nowhere, afterOid: sha }),
        ),
      updateRef: ({ ref, sha }: { ref: string; sha: string }) =>
        this.#calls.change("updateRef", () => {
          const { effects, own } = this.#parts;
          if ((effects.tipOf(branchOf(ref)) ?? own.tipOf(branchOf(ref))) === null)
            throw refusalBy(422, { message: "Reference does not exist" });
          this.#writeRef({ name: ref, afterOid: sha });
        }),
    },
    pulls: {
      get: async ({ pull_number: pr }: { pull_number: number }) => {
        const [pull] = await this.#calls.readPulls([pr]);
        const isByHand = this.#parts.model.mergedByHand.has(pr);
        return { data: pull && restPull(pull, this.#parts.dependencies.of(pr), isByHand) };
      },
      listReviews: ({ pull_number: pr }: { pull_number: number }) =>
        this.#calls.read("listReviews", () => ({ data: this.#reviewsOf(pr) })),
      merge: (body: MergeBody) =>
        this.#calls.change("putMerge", () => {
          const done = this.#parts.effects.merge(this.#requested(body));
          if ("sha" in done) return { data: done };
          throw refusalBy(done.status, { message: done.message });
        }),
    },
  };

  /** All results are on one page. */
  async paginate<T>(list: (values: object) => Promise<{ data: T }>, values: object): Promise<T> {
    return (await list(values)).data;
  }

  async graphql(query: string, variables: Record<string, unknown>): Promise<object> {
    const names = [...query.matchAll(/p(\d+): pullRequest\(number: \1\)/g)].map(([, pr]) => Number(pr));
    if (query.includes("pullRequest(") && this.#parts.calls.refusesQuery()) {
      // A refusal to show dependencies says nothing about reviews, and one about a pull request nothing about others.
      const asked = query.includes("reviewDecision") ? [...names, Number(variables.number)] : [];
      for (const pr of asked) this.#calls.approved.delete(pr);
      await this.#calls.read("refusedQuery", () => null);
      throw queryFailure();
    }
    if (query.includes("updateRefs")) return this.#updateRefs(variables.input as { refUpdates: RefUpdate[] });
    if (query.includes("object(expression")) {
      const oid = await this.#calls.readTip(branchOf(String(variables.tip)));
      return {
        repository: { object: oid === null ? null : { oid, tree: { oid: this.#calls.treeOf(oid) } } },
      };
    }
    if (query.includes("pullRequest(number: $number)")) {
      const [node] = await this.#nodes([Number(variables.number)], true);
      return { repository: { pullRequest: node } };
    }
    if (names.length > 0) return this.#pulls(names, query.includes("reviewDecision"));
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
    return {
      pr,
      headSha,
      method: methods.get(merge_method) ?? "merge_commit",
      seen: new Map(this.#calls.seen),
      approved: new Set(this.#calls.approved),
    };
  }

  #updateRefs({ refUpdates: [update] }: { refUpdates: readonly RefUpdate[] }): Promise<object> {
    if (!update) throw new Error("nothing is to be updated");
    return this.#calls.change("updateRefs", () => {
      const refusal = updateRef(update, this.#parts.effects, this.#parts.own, this.#calls.approved);
      if (refusal !== null) throw graphqlRefusal("UNPROCESSABLE", refusal);
      return { updateRefs: { clientMutationId: null } };
    });
  }

  /** Changes a branch by REST. */
  #writeRef(update: RefUpdate): void {
    const refusal = updateRef(update, this.#parts.effects, this.#parts.own, this.#calls.approved);
    if (refusal !== null) throw refusalBy(422, { message: refusal });
  }

  /** Merges a head into one of our own branches. */
  #mergeInto({ base: branch, head }: MergeIntoBranch): object {
    const { own, model } = this.#parts;
    const tip = found(own.tipOf(branch));
    const merged = model.mergeInto(tip, commitOf(head));
    if (merged === "conflict") throw refusalBy(409, { message: "Merge conflict" });
    if (merged === "empty") return { status: 204 };
    own.set(branch, merged);
    const parents = [{ sha: tip }, { sha: head }];
    return {
      status: 201,
      data: { sha: merged, commit: { tree: { sha: this.#calls.treeOf(merged) } }, parents },
    };
  }

  async #pulls(prs: readonly number[], areReviewsAsked: boolean): Promise<object> {
    const nodes = await this.#nodes(prs, areReviewsAsked);
    return { repository: Object.fromEntries(nodes.map((node, index) => [`p${prs[index]}`, node])) };
  }

  async #nodes(prs: readonly number[], areReviewsAsked: boolean): Promise<object[]> {
    const read = await this.#calls.readPulls(prs);
    if (areReviewsAsked) for (const { number, objections } of read) this.#note(number, objections);
    return read.map((pull) => pullRequestNode(pull, this.#parts.dependencies.of(pull.number)));
  }

  /** Records what an answer shows about the reviews. */
  #note(pr: number, objections: readonly Objection[]): void {
    if (objections.length === 0) this.#calls.approved.add(pr);
    else this.#calls.approved.delete(pr);
  }

  #reviewRule(): object {
    const required_review_thread_resolution = this.#parts.demandsResolution;
    const parameters = { required_approving_review_count: 1, required_review_thread_resolution };
    return { type: "pull_request", parameters };
  }

  /** REST shows no conversations. */
  #reviewsOf(pr: number): object[] {
    const { objections } = this.#parts.facts(pr);
    if (!this.#parts.demandsResolution) this.#note(pr, objections);
    const codes = new Set(objections.map(({ code }) => code));
    const by = (login: string, state: string) => ({
      ...{ user: { login, type: "User" }, state, author_association: "MEMBER" },
    });
    return [
      ...(codes.has("REVIEW_REQUIRED") ? [] : [by("carol", "APPROVED")]),
      ...(codes.has("CHANGES_REQUESTED") ? [by("bob", "CHANGES_REQUESTED")] : []),
    ];
  }
}

function found(sha: string | null): string {
  if (sha === null) throw refusalBy(404, { message: "Not Found" });
  return sha;
}
