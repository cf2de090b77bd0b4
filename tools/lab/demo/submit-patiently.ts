import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, type RequestOf, type TrainyardClient } from "../../../src/client/client.ts";

const pauseMs = 1_000;

/** Submits a pull request through the API, again and again while GitHub does not answer or denies something, as a person would. */
export async function submitPatiently(
  client: TrainyardClient,
  request: RequestOf<"submitPullRequest">,
): Promise<void> {
  for (;;) {
    try {
      await client.submitPullRequest(request);
      return;
    } catch (error) {
      if (!isOfGitHub(error)) throw error;
      await sleep(error.retryAfterMs ?? pauseMs);
    }
  }
}

const isOfGitHub = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status >= 500 || error.code === "CODE_HOST_DENIED");
