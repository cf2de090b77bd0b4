import { type Caller, writerOf } from "../auth/caller.ts";
import { isoTime, nodeId, type Urls } from "../rest/urls.ts";
import type { Account } from "../world/account.ts";
import { grants } from "../world/app-permissions.ts";
import { mergeableState, scheduleMergeability } from "../world/pulls/mergeability.ts";
import { isFromFork, isOpen, type PullRequest } from "../world/pulls/pull-request.ts";
import { reviewDecision } from "../world/pulls/reviews.ts";
import { positionOf, stackOf } from "../world/pulls/stack.ts";
import type { Repository } from "../world/repository.ts";
import { protectionOf } from "../world/rules/protection.ts";
import { countedOpinions, latestOpinions } from "../world/rules/review-rules.ts";
import { rulesetsOn } from "../world/rules/ruleset.ts";
import type { World } from "../world/world.ts";
import { commitObject } from "./git-object.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";
import { threadPage } from "./review-thread.ts";
import { rulePage } from "./rule-page.ts";

const mergeable = { unknown: "UNKNOWN", clean: "MERGEABLE", conflict: "CONFLICTING" } as const;

/**
 * Returns a pull request as GraphQL shows it. The login of a bot lacks REST's `[bot]`. REST's `mergeable`, `mergeable_state` and
 * `merged` become three enumerations.
 * https://docs.github.com/en/graphql/reference/objects#pullrequest
 */
export async function findPullRequest(
  world: World,
  urls: Urls,
  caller: Caller,
  repository: Repository,
  number: number,
) {
  if (caller.kind === "installation" && !grants(caller.permissions, "pull_requests", "read"))
    throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
  const pull = repository.pulls.get(number);
  if (pull === undefined)
    throw new GraphqlRefusal("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`);
  const stack = stackOf(pull);
  const answer = {
    id: nodeId("PullRequest", pull.id),
    number,
    state: stateOf(pull),
    isDraft: pull.draft,
    updatedAt: isoTime(pull.updatedAt),
    isCrossRepository: isFromFork(pull),
    title: pull.title,
    body: pull.body ?? "",
    author: actorOf(pull.author),
    url: urls.pullHtml(pull),
    headRefOid: pull.head.sha,
    headRefName: pull.head.ref,
    baseRefName: pull.base.ref,
    mergeable: mergeable[isOpen(pull) ? pull.mergeability.state : "unknown"],
    mergeStateStatus: (await mergeableState(pull, writerOf(world, caller, repository))).toUpperCase(),
    mergeCommit: pull.merged && pull.mergeCommitSha ? commitObject(repository, pull.mergeCommitSha) : null,
    autoMergeRequest: pull.autoMerge && { enabledAt: isoTime(pull.autoMerge.at) },
    reviewDecision: await reviewDecision(pull),
    latestOpinionatedReviews: ({ first = 0, writersOnly }: { first?: number; writersOnly: boolean }) => ({
      nodes: (writersOnly ? countedOpinions(pull) : latestOpinions(pull))
        .slice(0, first)
        .map(({ author, state }) => ({ author: actorOf(author), state })),
    }),
    reviewThreads: (page: { first?: number; after?: string }) => threadPage(pull.threads, page),
    baseRef: baseRefOf(pull),
    headRef: pull.head.repository.branch(pull.head.ref) === null ? null : { id: nodeId("Ref", pull.id) },
    stack: stack && { number: stack.number, size: stack.pulls.length, baseRefName: stack.base },
    stackEntry: stack && { position: positionOf(pull) },
  };
  // As in REST, a request makes GitHub compute the mergeability after the base has moved.
  if (isOpen(pull) && pull.mergeability.state === "unknown") scheduleMergeability(world, pull);
  return answer;
}

function stateOf(pull: PullRequest): "OPEN" | "CLOSED" | "MERGED" {
  if (pull.merged !== null) return "MERGED";
  return isOpen(pull) ? "OPEN" : "CLOSED";
}

const actorOf = ({ type, login }: Account) => ({ __typename: type, login: login.replace(/\[bot\]$/, "") });

const baseRefOf = ({ repository, base }: PullRequest) => findRef(repository, base.ref);

/** A branch with its actual rules, the same for every viewer. */
export function findRef(repository: Repository, branch: string) {
  if (repository.branch(branch) === null) return null;
  const protection = protectionOf(repository.protections, branch);
  const rules = rulesetsOn(repository, branch).flatMap((ruleset) => ruleset.rules);
  return {
    refUpdateRule: protection && {
      requiresConversationResolution: protection.reviews.conversations,
      requiresLinearHistory: protection.linearHistory,
      requiresSignatures: protection.signatures,
    },
    rules: (page: { first?: number; after?: string }) => rulePage(rules, page),
  };
}
