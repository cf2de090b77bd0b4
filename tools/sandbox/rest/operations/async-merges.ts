import { writerOf } from "../../auth/caller.ts";
import { type AsyncMerge, asyncMerge, pendingMerge, requestMerge } from "../../world/pulls/async-merge.ts";
import { isOpen } from "../../world/pulls/pull-request.ts";
import { pullOrRefuse } from "../find-pull.ts";
import type { Answer, Handlers } from "../operation.ts";
import { notFound } from "../refusal.ts";

type AsyncMergeOperation = "pulls/merge-async" | "pulls/get-merge-async-result";
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
export const asyncMergeOperations: Handlers<AsyncMergeOperation> = {
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
};
