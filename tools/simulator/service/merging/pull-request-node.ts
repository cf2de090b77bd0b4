import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";

const lastPage = { hasNextPage: false, endCursor: null };

/**
 * A pull request as GraphQL shows it, with all fields that the service asks for.
 *
 * @param dependsOn the pull request that its description names; null = none
 */
export function pullRequestNode(facts: PullRequestFacts, dependsOn: number | null): object {
  const { number, state, draft, updatedAt = 0, mergedSha, objections } = facts;
  const codes = new Set(objections.map(({ code }) => code));
  const isDiscussed = codes.has("CONVERSATIONS_OPEN");
  const isRejected = codes.has("CHANGES_REQUESTED");
  return {
    ...{ id: `PR_${number}`, number, state: state.toUpperCase(), isDraft: draft },
    ...{ title: facts.title, url: facts.url, author: { __typename: "User", login: facts.author } },
    ...{ headRefOid: facts.headSha, headRefName: facts.headRef, baseRefName: facts.baseBranch },
    headRef: { id: `Ref_${number}` },
    updatedAt: new Date(updatedAt).toISOString(),
    isCrossRepository: facts.fromFork,
    body: dependsOn === null ? "" : `Depends-On: #${dependsOn}`,
    mergeCommit: mergedSha === null ? null : { oid: mergedSha },
    ...{ mergeable: "MERGEABLE", mergeStateStatus: "CLEAN" },
    reviewDecision: isRejected
      ? "CHANGES_REQUESTED"
      : codes.has("REVIEW_REQUIRED")
        ? "REVIEW_REQUIRED"
        : null,
    latestOpinionatedReviews: {
      nodes: isRejected ? [{ state: "CHANGES_REQUESTED", author: { login: "bob" } }] : [],
    },
    reviewThreads: { nodes: isDiscussed ? [{ isResolved: false }] : [], pageInfo: lastPage },
    baseRef: {
      refUpdateRule: { requiresConversationResolution: isDiscussed },
      rules: { nodes: [], pageInfo: lastPage },
    },
    ...{ stack: null, stackEntry: null },
  };
}

/** A pull request as REST shows it. */
export function restPull(facts: PullRequestFacts, dependsOn: number | null, isMergedByHand: boolean): object {
  const { number, state, draft, updatedAt = 0, mergedSha, title, author, url } = facts;
  const merged = state === "merged";
  const repo = { id: 1 };
  return {
    ...{ number, title, user: { login: author }, html_url: url, draft, merged },
    state: state === "open" ? "open" : "closed",
    merged_by: merged ? { type: isMergedByHand ? "User" : "Bot" } : null,
    merge_commit_sha: mergedSha,
    updated_at: new Date(updatedAt).toISOString(),
    head: { sha: facts.headSha, ref: facts.headRef, repo: facts.fromFork ? null : repo },
    base: { ref: facts.baseBranch, repo },
    body: dependsOn === null ? "" : `Depends-On: #${dependsOn}`,
    ...{ mergeable: true, mergeable_state: "clean" },
  };
}
