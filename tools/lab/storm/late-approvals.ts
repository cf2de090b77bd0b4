import { drawBetween } from "../../sandbox/seeded-draw.ts";
import { createOctokit } from "../demo/authors.ts";
import type { RunningDemo } from "../demo/run-demo.ts";
import { fullName, repository } from "../demo/set-up-repository.ts";
import { type Counts, pausesUntil } from "../disturbances.ts";

const at = { owner: repository.owner, repo: repository.name };
/** A large run takes longer, so approvals come throughout. */
const approvedWithinMs = 2_000;
const refusedMs = [1_000, 10_000] as const;
const answeredMs = [500, 10_000] as const;

/** Main requires an approval, which the App may bypass. A reviewer approves each pull request late, and it must not merge before. */
export class LateApprovals {
  /** When the reviewer began to approve, by pull request, in milliseconds since the epoch. */
  readonly #approvedAt = new Map<number, number>();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  async approve({ sandbox, finished, pullRequests }: RunningDemo): Promise<Counts> {
    const bypass = [sandbox.app.slug, "role:admin"].map((actor) => ({ actor, mode: "exempt" as const }));
    const rule = { type: "pull_request", required_approving_review_count: 1 } as const;
    sandbox.setRulesets(fullName, [{ name: "approval", rules: [rule], bypass }]);
    const { token } = sandbox.createUser({ login: "erin", permission: "write" });
    const octokit = createOctokit(sandbox.url, token);
    const { pause } = pausesUntil(finished);
    const within = [0, approvedWithinMs * pullRequests.length] as const;
    await Promise.all(
      pullRequests.map(async ({ number }) => {
        await pause(drawBetween(this.#seed, within, "approval", number));
        this.#approvedAt.set(number, Date.now());
        await octokit.rest.pulls.createReview({ ...at, pull_number: number, event: "APPROVE" });
      }),
    );
    return { lateApprovals: pullRequests.length };
  }

  /** Repeatedly for some time, GitHub answers every query about pull requests with errors. */
  async refuseQueries({ sandbox, finished }: RunningDemo): Promise<Counts> {
    const { pause, isOver } = pausesUntil(finished);
    let time = 0;
    for (; !isOver(); time++) {
      await pause(drawBetween(this.#seed, answeredMs, "queries answered", time));
      const lastsMs = drawBetween(this.#seed, refusedMs, "queries refused", time);
      const end = sandbox.faults.next({ operation: "graphql/repository", kind: "query_errors", lastsMs });
      await pause(lastsMs);
      end();
    }
    return { refusedQueries: time };
  }

  /** Returns the pull requests that merged before they were approved. */
  async judge({ sandbox, pullRequests }: RunningDemo): Promise<readonly string[]> {
    const { token } = sandbox.createUser({ login: "judge", permission: "read" });
    const octokit = createOctokit(sandbox.url, token);
    const wrong = pullRequests.map(async ({ number }) => {
      const { merged_at } = (await octokit.rest.pulls.get({ ...at, pull_number: number })).data;
      // GitHub's times are whole seconds.
      const approvedAt = Math.floor((this.#approvedAt.get(number) ?? Infinity) / 1_000) * 1_000;
      return merged_at !== null && Date.parse(merged_at) < approvedAt
        ? [`#${number} merged before it had the approval that main demands`]
        : [];
    });
    return (await Promise.all(wrong)).flat();
  }
}
