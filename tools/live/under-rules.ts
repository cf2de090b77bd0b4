import type { Octokit } from "@octokit/rest";
import { causeOf } from "../../src/github/merging/merge-refusal.ts";
import type { Scene } from "./claim.ts";
import { answerOf, untilMergeable } from "./observe.ts";

export type Rule = NewRuleset["rules"][number];
type PullRequestParameters = NonNullable<Extract<Rule, { type: "pull_request" }>["parameters"]>;

export const missingCheck: Rule = {
  type: "required_status_checks",
  parameters: {
    required_status_checks: [{ context: "trainyard-live-never" }],
    strict_required_status_checks_policy: false,
  },
};

export const pullRequests = (changed: Partial<PullRequestParameters> = {}): Rule => ({
  type: "pull_request",
  parameters: {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_review_thread_resolution: false,
    ...changed,
  },
});

export const mergeQueue: Rule = {
  type: "merge_queue",
  parameters: {
    check_response_timeout_minutes: 60,
    grouping_strategy: "ALLGREEN",
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: "MERGE",
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5,
  },
};

/** Returns an answer together with the cause that Trainyard recognises in it. */
export const withCause = (answer: string) => ({ answer, cause: causeOf(answer) });

export const refused = (status: number, words: string, cause: string) => ({
  answer: `${status} Repository rule violations found ${words}`,
  cause,
});

/** Returns the answer to an update of a branch with a rule. */
export async function moveUnder(scene: Scene, rule: Rule) {
  const { github, at, scratch } = scene;
  const branch = await scratch.branch("ruled");
  // GitHub does not sign a commit that names its own author.
  const author = { name: "Somebody", email: "somebody@example.com" };
  const sha = await scratch.commit(await scratch.root(), { a: "1\n" }, "Change files", author);
  await scratch.ruleset([branch], { rules: [rule] });
  return withCause(await answerOf(github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha })));
}

/** Returns the answer to a merge into a branch with a rule. */
export async function mergeUnder(scene: Scene, rule: Rule) {
  const { github, at, scratch } = scene;
  const base = await scratch.branch("ruled");
  await scratch.ruleset([base], { rules: [rule] });
  const pull = await scratch.pull({ base });
  await untilMergeable(scene, pull);
  return withCause(await answerOf(github.rest.pulls.merge({ ...at, pull_number: pull.number })));
}

/** Returns the answer to the creation of a branch with a rule. */
export async function createUnder({ github, at, scratch }: Scene, rule: Rule) {
  const branch = scratch.name("ruled");
  const sha = await scratch.commit(await scratch.root(), { a: "1\n" });
  await scratch.ruleset([branch], { rules: [rule] });
  return withCause(await answerOf(github.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha })));
}

type Body = NonNullable<Parameters<Octokit["rest"]["repos"]["createRepoRuleset"]>[0]>;

/** The part of a ruleset that differs between claims. */
export interface NewRuleset {
  readonly rules: NonNullable<Body["rules"]>;
  readonly bypass_actors?: NonNullable<Body["bypass_actors"]>;
}

/** Octokit's types do not have the newer mode `exempt`. */
export type BypassMode = "always" | "pull_request" | "exempt";

export function bypassFor(appId: number, mode: BypassMode): NonNullable<NewRuleset["bypass_actors"]> {
  const actor = { actor_id: appId, actor_type: "Integration", bypass_mode: mode };
  return [actor as NonNullable<NewRuleset["bypass_actors"]>[number]];
}
