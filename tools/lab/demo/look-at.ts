import { ApiError, type TrainyardClient } from "../../../src/client/client.ts";

export interface Queue {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly targetBranch: string;
}

/** The queue entry of a pull request. Null when it was never submitted. */
export async function lookAt(client: TrainyardClient, queue: Queue, number: number) {
  try {
    return await client.getSubmittedPullRequest({ ...queue, pr: { number } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
