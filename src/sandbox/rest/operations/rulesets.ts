import { writerOf } from "../../auth/caller.ts";
import { hasRole } from "../../world/permission.ts";
import {
  type BypassMode,
  bypassModeOf,
  type Rule,
  type Ruleset,
  rulesetsOf,
  rulesetsOn,
} from "../../world/ruleset.ts";
import { checkPlan } from "../check-plan.ts";
import type { Answer, Handlers } from "../operation.ts";
import { paginate } from "../paginate.ts";
import { notFound } from "../refusal.ts";
import { isoTime } from "../urls.ts";

type RulesetOperation = "repos/get-branch-rules" | "repos/get-repo-ruleset";
type RuleList = Extract<Answer<"repos/get-branch-rules">, { status: 200 }>["body"];
type RulesetBody = Extract<Answer<"repos/get-repo-ruleset">, { status: 200 }>["body"];

const renderRule = (rule: Rule, { id, source }: Ruleset) => ({
  ...rule,
  ruleset_source_type: source.type,
  ruleset_source: source.name,
  ruleset_id: id,
});

const canBypass: Record<BypassMode, NonNullable<RulesetBody["current_user_can_bypass"]>> = {
  always: "always",
  pull_request: "pull_requests_only",
  exempt: "exempt",
};

export const rulesetOperations: Handlers<RulesetOperation> = {
  "repos/get-branch-rules": (call) => {
    const { path, repository } = call;
    checkPlan(repository);
    const rules = rulesetsOn(repository, path.branch).flatMap((ruleset) =>
      ruleset.rules.map((rule) => renderRule(rule, ruleset)),
    );
    const { page, headers } = paginate(call, rules);
    return { status: 200, body: page as RuleList, headers };
  },

  "repos/get-repo-ruleset": ({ world, urls, caller, path, repository }) => {
    checkPlan(repository);
    const ruleset = rulesetsOf(repository).find(({ id }) => id === path.ruleset_id);
    if (ruleset === undefined) throw notFound();
    const writer = writerOf(world, caller, repository);
    const mode = bypassModeOf(ruleset, writer);
    const isOfRepository = ruleset.source.type === "Repository";
    const page = isOfRepository
      ? `${urls.html(repository)}/rules/${ruleset.id}`
      : `${urls.base}/organizations/${ruleset.source.name}/settings/rules/${ruleset.id}`;
    const body = {
      id: ruleset.id,
      name: ruleset.name,
      target: "branch",
      source_type: ruleset.source.type,
      source: ruleset.source.name,
      enforcement: ruleset.enforcement,
      conditions: { ref_name: ruleset.condition },
      rules: ruleset.rules,
      current_user_can_bypass: mode === null ? "never" : canBypass[mode],
      _links: { html: { href: page } },
      created_at: isoTime(repository.createdAt),
      updated_at: isoTime(repository.createdAt),
      // Only administrators learn who bypasses.
      ...(hasRole(writer.role, "admin") ? { bypass_actors: renderBypass(ruleset) } : {}),
    };
    return { status: 200, body: body as RulesetBody };
  },
};

const renderBypass = ({ bypass }: Ruleset) =>
  bypass.map(({ actor, mode }, index) => ({
    actor_id: index + 1,
    actor_type: actor.startsWith("role:") ? "RepositoryRole" : "Integration",
    bypass_mode: mode,
  }));
