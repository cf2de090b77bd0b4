import type { Octokit } from "@octokit/rest";

type Body = NonNullable<Parameters<Octokit["rest"]["repos"]["createRepoRuleset"]>[0]>;

/** The part of a ruleset that differs between claims. */
export interface NewRuleset {
  readonly rules: NonNullable<Body["rules"]>;
  readonly bypass_actors?: NonNullable<Body["bypass_actors"]>;
}

/** Octokit's types do not have the newer mode `exempt`. */
export type BypassMode = "always" | "pull_request" | "exempt";

/** Lets an App bypass a ruleset. */
export function bypassFor(appId: number, mode: BypassMode): NonNullable<NewRuleset["bypass_actors"]> {
  const actor = { actor_id: appId, actor_type: "Integration", bypass_mode: mode };
  return [actor as NonNullable<NewRuleset["bypass_actors"]>[number]];
}
