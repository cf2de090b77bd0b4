import { setTimeout as sleep } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";

interface Repository {
  readonly owner: string;
  readonly name: string;
}

const againMs = 200;

/** Returns the branches that the service left behind although it had time to clean up after the last merge. */
export async function findLitter(
  octokit: Octokit,
  { owner, name: repo }: Repository,
  patienceMs: number,
): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const { data } = await octokit.rest.git.listMatchingRefs({ owner, repo, ref: "heads/trainyard-" });
    if (data.length === 0 || Date.now() > deadline) return data.map(({ ref }) => `${ref} was left behind`);
    await sleep(againMs);
  }
}
