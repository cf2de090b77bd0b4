import { accountOf, type Caller, writerOf } from "../auth/authorize.ts";
import { isoTime, nodeId, type Urls } from "../rest/urls.ts";
import { type Account, grants } from "../world/account.ts";
import { enableAutoMerge } from "../world/pulls/auto-merge.ts";
import { mergeableState, scheduleMergeability } from "../world/pulls/mergeability.ts";
import { setAutoMerge } from "../world/pulls/pull-lifecycle.ts";
import {
  isFromFork,
  isOpen,
  type PullRequest,
  resolveThread,
  reviewDecision,
} from "../world/pulls/pull-request.ts";
import { positionOf, stackOf } from "../world/pulls/stack.ts";
import type { Repository } from "../world/repository.ts";
import { protectionOf } from "../world/rules/protection.ts";
import { countedOpinions, latestOpinions } from "../world/rules/review-rules.ts";
import { type Rule, rulesetsOn } from "../world/rules/ruleset.ts";
import type { World } from "../world/world.ts";
import { findNode, findPull, GraphqlRefusal } from "./find-node.ts";
import { commitObject } from "./repository.ts";

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
    reviewThreads: (page: Page) =>
      pageOf(pull.threads, page, ({ id, isResolved }) => ({ id: threadNodeId(id), isResolved })),
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

const actorOf = ({ type, login, isDeleted }: Account) =>
  isDeleted ? null : { __typename: type, login: login.replace(/\[bot\]$/, "") };

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
    rules: (page: Page) => pageOf(rules, page, (rule) => ({ parameters: parametersOf(rule) })),
  };
}

interface AutoMergeInput {
  pullRequestId: string;
  mergeMethod?: "MERGE" | "SQUASH" | "REBASE";
}

const methods = { MERGE: "merge", SQUASH: "squash", REBASE: "rebase" } as const;

/**
 * Enables or disables auto-merge. In the sandbox only users may do it.
 * https://docs.github.com/en/graphql/reference/mutations#enablepullrequestautomerge
 */
export const changeAutoMerge =
  (isEnabled: boolean) =>
  async (world: World, caller: Caller, { pullRequestId, mergeMethod = "MERGE" }: AutoMergeInput) => {
    const pull = findPull(world, caller, pullRequestId);
    if (caller.kind !== "user" || !pull.repository.isWriter(accountOf(caller)))
      throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
    const by = accountOf(caller);
    if (!isEnabled) return setAutoMerge(world, pull, by, null);
    const refusal = await enableAutoMerge(world, pull, by, methods[mergeMethod]);
    if (refusal !== null) throw new GraphqlRefusal("UNPROCESSABLE", refusal);
  };

/**
 * Resolves or reopens a conversation. In the sandbox only users may do it.
 * https://docs.github.com/en/graphql/reference/mutations#resolvereviewthread
 */
export const setThreadResolved =
  (isResolved: boolean) =>
  async (world: World, caller: Caller, { threadId }: { threadId: string }) => {
    if (caller.kind !== "user")
      throw new GraphqlRefusal("FORBIDDEN", "Resource not accessible by integration");
    const thread = findNode(world, caller, threadId, ({ pulls }) =>
      [...pulls.values()].flatMap(({ threads }) => threads).find(({ id }) => threadNodeId(id) === threadId),
    );
    await resolveThread(world, thread, accountOf(caller), isResolved);
  };

interface Page {
  first?: number;
  /** The number of items before the page. */
  after?: string;
}

function pageOf<Item, Node>(
  items: readonly Item[],
  { first = 0, after = "0" }: Page,
  render: (item: Item) => Node,
) {
  const end = Math.min(Number(after) + first, items.length);
  const nodes = items.slice(Number(after), end).map(render);
  return { nodes, pageInfo: { endCursor: String(end), hasNextPage: end < items.length } };
}

export const threadNodeId = (id: number): string => nodeId("PullRequestReviewThread", id);

/** Parameters of other rules have types that no query here requests. */
function parametersOf(rule: Rule) {
  if (rule.type !== "pull_request") return null;
  const requiredReviewThreadResolution = rule.parameters.required_review_thread_resolution;
  return { __typename: "PullRequestParameters", requiredReviewThreadResolution };
}
