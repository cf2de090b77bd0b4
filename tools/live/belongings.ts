import type { Octokit } from "@octokit/rest";
import {
  CodeHostError,
  messageOf,
  statusOf,
  toCodeHostError,
} from "../../src/github/client/code-host-error.ts";
import type { Repository } from "../../src/github/client/repository-api.ts";

/** Everything that a run has created or may have created. */
export class Belongings {
  /** Names, including those of branches that were never created. */
  readonly branches = new Set<string>();
  readonly pulls = new Set<number>();
  readonly comments = new Set<number>();
  readonly rulesets = new Set<number>();
  readonly #doubtful: string[] = [];

  /** Creates an object that only the response identifies. Records a doubt when GitHub does not respond. */
  async create<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (isUnanswered(error))
        this.#doubtful.push(`${what}: GitHub did not answer when it was created; look whether it is there`);
      throw error;
    }
  }

  /** Deletes everything, and closes pull requests, which GitHub never deletes. Returns what is left, with the reasons. */
  async removeAll({ rest }: Octokit, at: Repository): Promise<string[]> {
    const { git, issues, pulls, repos } = rest;
    const left = await removeEach([
      // Rulesets first: they may forbid the following requests.
      ...[...this.rulesets].map((ruleset_id) => ({
        what: `ruleset ${ruleset_id}`,
        request: () => repos.deleteRepoRuleset({ ...at, ruleset_id }),
      })),
      ...[...this.comments].map((comment_id) => ({
        what: `comment ${comment_id}`,
        request: () => issues.deleteComment({ ...at, comment_id }),
      })),
      ...[...this.pulls].map((pull_number) => ({
        what: `pull request #${pull_number}`,
        request: () => pulls.update({ ...at, pull_number, state: "closed" }),
      })),
      ...[...this.branches].map((name) => ({
        what: `branch ${name}`,
        request: () => git.deleteRef({ ...at, ref: `heads/${name}` }),
      })),
    ]);
    return [...left, ...this.#doubtful];
  }
}

interface Removal {
  /** Names the object in the report when it could not be deleted. */
  readonly what: string;
  readonly request: () => Promise<unknown>;
}

/** Requests each deletion. Retries once where GitHub did not respond. Returns what is left, with the reasons. */
export async function removeEach(removals: readonly Removal[]): Promise<string[]> {
  const failed: { removal: Removal; error: unknown }[] = [];
  for (const removal of removals) await remove(removal, failed);
  const [again, refused] = [
    failed.filter(({ error }) => isUnanswered(error)),
    failed.filter(({ error }) => !isUnanswered(error)),
  ];
  for (const { removal } of again) await remove(removal, refused);
  return refused.map(
    ({ removal, error }) => `${removal.what}: ${messageOf(error).replace(/\s+/g, " ").trim()}`,
  );
}

async function remove(removal: Removal, failed: { removal: Removal; error: unknown }[]): Promise<void> {
  try {
    await removal.request();
  } catch (error) {
    if (!isGone(error)) failed.push({ removal, error });
  }
}

/** Whether the effect of a request is unknown. */
export function isUnanswered(error: unknown): boolean {
  const failure = toCodeHostError(error);
  return !(failure instanceof CodeHostError) || failure.kind === "unavailable";
}

/** Whether the object no longer exists. GitHub responds with 422 for a ref that does not exist. */
function isGone(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || (status === 422 && /does not exist/i.test(messageOf(error)));
}
