import type { Pusher } from "../../ports/code-host/pull-requests.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { listActivities } from "./list-activities.ts";

/** Reads who pushed the commit that a branch points to; null when GitHub's record of pushes does not name it yet. */
export async function pusherOf(api: RepositoryApi, branch: string, sha: string): Promise<Pusher | null> {
  const [last] = await listActivities(api, `refs/heads/${branch}`);
  if (last?.after !== sha || !last.actor) return null;
  const { login, id, type } = last.actor;
  return { login, id, isPerson: type === "User" };
}
