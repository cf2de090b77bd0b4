import { randomUUID } from "node:crypto";
import { writerOf } from "../../auth/authorize.ts";
import { mergeTrees } from "../../git/merge-trees.ts";
import { signatureOf, webFlow } from "../../world/account.ts";
import { type MergeOutcome, type MergeRequest, mergePull } from "../../world/pulls/merge-pull.ts";
import { isFromFork, isOpen, type PullRequest } from "../../world/pulls/pull-request.ts";
import type { Repository } from "../../world/repository.ts";
import type { Writer } from "../../world/rules/branch-rules.ts";
import type { World } from "../../world/world.ts";
import { refusalMessage, writeRef } from "../../world/write-ref.ts";
import { pullOrRefuse, resolveCommit } from "../lookups.ts";
import type { Answer, Handlers } from "../operation.ts";
import { notFound, Refusal } from "../refusal.ts";
import { renderCommit } from "../render/commit.ts";

interface BranchMerge {
  base: string;
  head: string;
  message: string;
}

/**
 * Merges a commit into a branch with a merge commit. Returns the SHA of that commit, or null if the branch already contains the
 * head.
 */
async function mergeIntoBranch(
  world: World,
  repository: Repository,
  writer: Writer,
  { base, head, message }: BranchMerge,
): Promise<string | null> {
  const { git } = repository;
  for (;;) {
    const tip = repository.branch(base);
    if (tip === null) throw notFound("Base does not exist");
    if (await git.graph.contains(tip, head)) return null;
    const tree = await mergeTrees(git, tip, head);
    if (tree === null) throw new Refusal(409, "Merge conflict");
    const now = world.now();
    const author = signatureOf(writer.account, now);
    const after = git.writeCommit({ tree, parents: [tip, head], author, committer: webFlow(now), message });
    const written = await writeRef(world, repository, {
      ref: `refs/heads/${base}`,
      before: tip,
      after,
      writer,
    });
    if (written.outcome === "written") return after;
    if (written.outcome === "refused") {
      const { refusal } = written;
      throw new Refusal(refusal.by === "permission" ? 403 : 409, refusalMessage(refusal));
    }
    // The base moved during the merge, so merge into its new tip.
  }
}

export const mergeOperations = {
  "repos/merge": async ({ world, urls, caller, body, repository }) => {
    const head = await resolveCommit(repository, body.head);
    if (repository.branch(body.base) === null) throw notFound("Base does not exist");
    if (head === null) throw notFound("Head does not exist");
    const sha = await mergeIntoBranch(world, repository, writerOf(world, caller, repository), {
      base: body.base,
      head: head.sha,
      message: body.commit_message ?? `Merge ${body.head} into ${body.base}`,
    });
    const commit = sha === null ? null : await repository.git.commit(sha);
    if (commit === null) return { status: 204, body: undefined };
    return { status: 201, body: renderCommit(world, urls, repository, commit) };
  },

  "pulls/merge": async ({ world, caller, path, body, repository }) => {
    const pull = pullOrRefuse(repository, path.pull_number);
    const result = await mergePull(world, pull, writerOf(world, caller, repository), {
      method: body.merge_method ?? "merge",
      sha: body.sha ?? null,
      title: body.commit_title ?? null,
      message: body.commit_message ?? null,
    });
    switch (result.outcome) {
      case "merged":
        return {
          status: 200,
          body: { sha: result.sha, merged: true, message: "Pull Request successfully merged" },
        };
      case "head_moved":
        throw new Refusal(409, "Head branch was modified. Review and try the merge again.");
      case "refused":
        throw new Refusal(405, result.message);
      case "denied":
        throw new Refusal(403, result.message);
    }
  },

  "pulls/update-branch": async ({ world, urls, caller, path, body, repository }) => {
    const pull = pullOrRefuse(repository, path.pull_number);
    const expected = body.expected_head_sha;
    if (expected !== undefined && expected !== pull.head.sha) {
      throw new Refusal(422, "expected head sha didn’t match current head ref.");
    }
    if (isFromFork(pull)) throw new Refusal(403, "Resource not accessible by integration");
    const tip = repository.branch(pull.base.ref);
    if (tip === null || (await repository.git.graph.contains(pull.head.sha, tip))) {
      throw new Refusal(422, "There are no new commits on the base branch.");
    }
    if ((await mergeTrees(repository.git, pull.head.sha, tip)) === null) {
      throw new Refusal(422, "merge conflict between base and head");
    }
    const writer = writerOf(world, caller, repository);
    const message = `Merge branch '${pull.base.ref}' into ${pull.head.ref}`;
    world.background.run(async () => {
      await mergeIntoBranch(world, repository, writer, { base: pull.head.ref, head: tip, message });
    });
    return { status: 202, body: { message: "Updating pull request branch.", url: urls.pull(pull) } };
  },
} satisfies Handlers;

type Result = Extract<Answer<"pulls/merge-async">, { status: 202 }>["body"];

const merged = (sha: string): Result => ({
  status: "merged",
  details: { message: "Pull request was merged.", sha },
});

const failed = (message: string): Result => ({ status: "failed", details: { message } });

const pending = ({ uuid, request }: AsyncMerge, message: string): Result => ({
  status: "pending",
  details: {
    message,
    uuid,
    merge_method: request.method,
    merge_action: "direct_merge",
    expected_head_sha: request.sha,
  },
});

/** https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request-asynchronously */
export const asyncMergeOperations = {
  "pulls/merge-async": ({ world, caller, path, body, repository }) => {
    const pull = pullOrRefuse(repository, path.pull_number);
    if (pull.merged !== null) return { status: 200, body: merged(pull.mergeCommitSha ?? "") };
    const existing = pendingMerge(pull);
    if (existing !== null)
      return {
        status: 409,
        body: pending(existing, "A merge request already exists for this pull request."),
      };
    if (!isOpen(pull)) return { status: 400, body: failed("Pull request is closed.") };
    if (pull.draft) return { status: 400, body: failed("Pull request is a draft.") };
    const begun = requestMerge(world, pull, writerOf(world, caller, repository), {
      method: body?.merge_method ?? "merge",
      sha: body?.sha ?? pull.head.sha,
      title: body?.commit_title ?? null,
      message: body?.commit_message ?? null,
    });
    return { status: 202, body: pending(begun, "Merge request enqueued.") };
  },

  "pulls/get-merge-async-result": ({ path, repository }) => {
    const merge = asyncMerge(pullOrRefuse(repository, path.pull_number), path.uuid);
    if (merge === null) throw notFound();
    const { result } = merge;
    if (result === null) return { status: 200, body: pending(merge, "Merge request is in progress.") };
    return { status: 200, body: result.status === "merged" ? merged(result.sha) : failed(result.message) };
  },
} satisfies Handlers;

/** A merge that GitHub performs asynchronously. */
export interface AsyncMerge {
  readonly uuid: string;
  readonly request: MergeRequest & { readonly sha: string };
  /** Null = the merge is not over. */
  result: { status: "merged"; sha: string } | { status: "failed"; message: string } | null;
}

/** All requested merges, by UUID. GitHub forgets them after a day. */
const known = new WeakMap<PullRequest, Map<string, AsyncMerge>>();

const ofPull = (pull: PullRequest): ReadonlyMap<string, AsyncMerge> => known.get(pull) ?? new Map();

export const asyncMerge = (pull: PullRequest, uuid: string): AsyncMerge | null =>
  ofPull(pull).get(uuid) ?? null;

/** Returns the merge that is not over. There is at most one for each pull request. */
const pendingMerge = (pull: PullRequest): AsyncMerge | null =>
  [...ofPull(pull).values()].find(({ result }) => result === null) ?? null;

const MODIFIED_BASE = "Base branch was modified. Review and try the merge again.";

/** Starts an asynchronous merge. The rules and the head are checked only when it runs. It is retried if the base was modified. */
export function requestMerge(
  world: World,
  pull: PullRequest,
  writer: Writer,
  request: AsyncMerge["request"],
): AsyncMerge {
  const merge: AsyncMerge = { uuid: randomUUID(), request, result: null };
  known.set(pull, new Map([...ofPull(pull), [merge.uuid, merge]]));
  const run = async () => {
    const outcome = await mergePull(world, pull, { ...writer, via: "async" }, request);
    if (outcome.outcome === "refused" && outcome.message === MODIFIED_BASE) return later();
    merge.result = resultOf(outcome);
  };
  const later = (waitedMs = 0) => {
    const stepMs = Math.min(world.delays.asyncMerge - waitedMs, 100);
    world.background.after(stepMs, () =>
      waitedMs + stepMs < world.delays.asyncMerge ? later(waitedMs + stepMs) : run(),
    );
  };
  later();
  return merge;
}

function resultOf(outcome: MergeOutcome): NonNullable<AsyncMerge["result"]> {
  switch (outcome.outcome) {
    case "merged":
      return { status: "merged", sha: outcome.sha };
    case "head_moved":
      return { status: "failed", message: "Head branch was modified. Review and try the merge again." };
    default:
      return { status: "failed", message: outcome.message };
  }
}
