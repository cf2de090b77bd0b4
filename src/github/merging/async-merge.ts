import { RequestError } from "@octokit/request-error";
import * as z from "zod";
import type { MergeStep } from "../../engine/model/merge-attempt.ts";
import type { MergeMethod } from "../../engine/model/settings.ts";
import { statusOf } from "../client/code-host-error.ts";
import { askUnconditionally } from "../client/conditional-requests.ts";
import { nullIfNotFound, type RepositoryApi } from "../client/repository-api.ts";

/**
 * GitHub's asynchronous merge API: everything that we know of its requests and responses.
 * https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request-asynchronously
 */

export const apiMethods = {
  merge_commit: "merge",
  squash: "squash",
  rebase: "rebase",
} as const satisfies Record<MergeMethod, string>;

const pending = z.object({ uuid: z.string(), expected_head_sha: z.string(), merge_method: z.string() });
const ended = z.object({ message: z.string() });

/** The responses to the request and to each poll. */
export const asyncMergeShape = z.discriminatedUnion("status", [
  z.object({ status: z.literal("pending"), details: pending }),
  z.object({ status: z.literal("merged"), details: z.object({ sha: z.string() }) }),
  z.object({ status: z.literal("enqueued"), details: ended }),
  z.object({ status: z.literal("failed"), details: ended }),
]);

export type AsyncMerge = z.infer<typeof asyncMergeShape>;

/** The response to a request to merge. */
export interface AsyncMergeReply {
  readonly answer: AsyncMerge;
  /** A request was pending already, possibly another user's, and no new one was started. */
  readonly isOlder: boolean;
}

/**
 * Asks GitHub to merge a pull request asynchronously. If a request is pending already, GitHub answers with that one and starts no
 * second one. Rules and the head are checked when it runs. `direct_merge`: never GitHub's own merge queue.
 *
 * @param sha the head that may be merged
 * @throws {RequestError} 404 if GitHub has no such API for the repository
 */
export async function requestAsyncMerge(
  { octokit, at }: RepositoryApi,
  method: MergeMethod,
  { pr, message = {} }: Pick<MergeStep, "pr" | "message">,
  sha: string,
): Promise<AsyncMergeReply> {
  const { title, body } = message;
  try {
    const { data } = await octokit.request("PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge-async", {
      ...at,
      pull_number: pr,
      sha,
      merge_method: apiMethods[method],
      merge_action: "direct_merge",
      ...(title === undefined ? {} : { commit_title: title }),
      ...(body === undefined ? {} : { commit_message: body }),
    });
    return { answer: asyncMergeShape.parse(data), isOlder: false };
  } catch (error) {
    const answer = answerIn(error);
    if (answer === null) throw error;
    return { answer, isOlder: statusOf(error) === 409 };
  }
}

/** GitHub responds in the same shape with 400 (closed, or a draft) and 409 (a request is pending already). */
function answerIn(error: unknown): AsyncMerge | null {
  const status = statusOf(error);
  if (!(error instanceof RequestError) || (status !== 400 && status !== 409)) return null;
  return asyncMergeShape.safeParse(error.response?.data).data ?? null;
}

/** The state of a request; null: GitHub does not know it. GitHub forgets a request a day after its end. */
export async function readAsyncMerge(
  { octokit, at }: RepositoryApi,
  pull_number: number,
  uuid: string,
): Promise<AsyncMerge | null> {
  const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}/merge-async/{uuid}";
  const found = await askUnconditionally(() =>
    nullIfNotFound(octokit.request(route, { ...at, pull_number, uuid })),
  );
  return found === null ? null : asyncMergeShape.parse(found);
}
