import { setTimeout as sleep } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";

/** Time that the service has for cleaning up after the last merge. */
const patienceMs = 8_000;

interface Repository {
  readonly owner: string;
  readonly name: string;
}

/** What the service has left lying about: a second comment or check on a pull request, or a branch of its own. */
export async function findLitter(
  octokit: Octokit,
  { owner, name: repo }: Repository,
  pulls: readonly number[],
  bot: string,
): Promise<string[]> {
  const litter: string[] = [];
  const deadline = Date.now() + patienceMs;
  for (const pull of pulls) {
    const { data: comments } = await octokit.rest.issues.listComments({ owner, repo, issue_number: pull });
    const own = comments.filter(({ user }) => user?.login === bot);
    if (own.length !== 1) litter.push(`#${pull} has ${own.length} comments of ours, not one`);
    const { data: pr } = await octokit.rest.pulls.get({ owner, repo, pull_number: pull });
    const { data: checks } = await octokit.rest.checks.listForRef({
      owner,
      repo,
      ref: pr.head.sha,
      filter: "all",
    });
    const runs = checks.check_runs.filter((run) => run.name.startsWith("Trainyard ("));
    if (runs.length > 1) litter.push(`#${pull} has ${runs.length} checks of ours, not one`);
  }
  let branches = await ownBranches(octokit, { owner, name: repo });
  while (branches.length > 0 && Date.now() < deadline) {
    await sleep(200);
    branches = await ownBranches(octokit, { owner, name: repo });
  }
  return [...litter, ...branches.map((branch) => `${branch} was left behind`)];
}

async function ownBranches(octokit: Octokit, { owner, name: repo }: Repository): Promise<string[]> {
  const { data } = await octokit.rest.git.listMatchingRefs({ owner, repo, ref: "heads/trainyard-" });
  return data.map(({ ref }) => ref);
}
