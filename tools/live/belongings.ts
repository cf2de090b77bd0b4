import type { Octokit } from "@octokit/rest";
import type { Repository } from "../../src/github/client/repository-api.ts";
import { isUnanswered, removeEach } from "./removals.ts";

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
