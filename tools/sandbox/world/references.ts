import type { Account } from "./account.ts";
import { recordEvent } from "./pulls/pull-lifecycle.ts";
import type { PullRequest } from "./pulls/pull-request.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

/** `#12`, `GH-12`, `owner/name#12`, and the URLs of issues and pull requests. */
const patterns = [
  /(?<![\w/#])(?:([\w.-]+\/[\w.-]+)?#|GH-)(\d+)(?!\w)/gi,
  /https?:\/\/[^/\s]+\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)/gi,
];

interface Push {
  before: string | null;
  after: string;
  sender: Account;
  /** The pull request that the push merges; null = none. */
  merging: PullRequest | null;
}

/**
 * Records on pull requests that commits refer to them. Each commit is recorded once, when it is first pushed to any branch. The
 * commit that merges a pull request is not recorded as a reference to it.
 * https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls#issues-and-pull-requests
 */
export async function recordReferences(
  world: World,
  repository: Repository,
  { before, after, sender, merging }: Push,
): Promise<void> {
  const known = before ?? repository.branch(repository.defaultBranch);
  for (const { sha, message } of await repository.git.graph.range(known, after)) {
    if (repository.readForReferences.has(sha)) continue;
    repository.readForReferences.add(sha);
    for (const number of referencesIn(message, repository.fullName)) {
      const pull = repository.pulls.get(number);
      if (pull && pull !== merging) recordEvent(world, pull, "referenced", sender, { commit: sha });
    }
  }
}

function referencesIn(message: string, fullName: string): Set<number> {
  const found = patterns.flatMap((pattern) => [...message.matchAll(pattern)]);
  const here = found.filter(([, name]) => (name ?? fullName) === fullName);
  return new Set(here.map(([, , number]) => Number(number)));
}
