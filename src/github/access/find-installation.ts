import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { AppClient } from "../client/app-client.ts";
import { statusOf, toCodeHostError } from "../client/code-host-error.ts";

/** Returns the id of the App's installation in a repository; null if the App is not installed there. */
export async function findInstallation(
  client: AppClient,
  { owner, name }: RepositoryRef,
): Promise<number | null> {
  try {
    return (await client.app.rest.apps.getRepoInstallation({ owner, repo: name })).data.id;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw toCodeHostError(error);
  }
}
