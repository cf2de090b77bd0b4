import { writerOf } from "../../auth/authorize.ts";
import { hasRole } from "../../world/account.ts";
import {
  type BypassMode,
  bypassModeOf,
  createRuleset,
  type Rule,
  type RuleOptions,
  type Ruleset,
  type RulesetOptions,
  rulesetsOf,
  rulesetsOn,
} from "../../world/rules/ruleset.ts";
import type { World } from "../../world/world.ts";
import { checkPlan, paginate } from "../lookups.ts";
import type { Answer, BodyOf, Call, Handlers } from "../operation.ts";

import { notFound, Refusal } from "../refusal.ts";
import { isoTime } from "../urls.ts";

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

export const rulesetOperations = {
  "repos/get-branch-rules": (call) => {
    const { path, repository } = call;
    checkPlan(repository);
    const rules = rulesetsOn(repository, path.branch).flatMap((ruleset) =>
      ruleset.rules.map((rule) => renderRule(rule, ruleset)),
    );
    const { page, headers } = paginate(call, rules);
    return { status: 200, body: page as RuleList, headers };
  },

  "repos/get-repo-ruleset": (call) => {
    checkPlan(call.repository);
    const ruleset = rulesetsOf(call.repository).find(({ id }) => id === call.path.ruleset_id);
    if (ruleset === undefined) throw notFound();
    return { status: 200, body: renderRuleset(call, ruleset) };
  },

  "repos/create-repo-ruleset": (call) => {
    const { world, repository, body } = call;
    checkPlan(repository);
    const source = { type: "Repository", name: repository.fullName } as const;
    const ruleset = createRuleset(world.nextId(), source, parseRuleset(world, body));
    repository.rulesets = [...repository.rulesets, ruleset];
    return { status: 201, body: renderRuleset(call, ruleset) };
  },

  "repos/delete-repo-ruleset": ({ path, repository }) => {
    const left = repository.rulesets.filter(({ id }) => id !== path.ruleset_id);
    if (left.length === repository.rulesets.length) throw notFound();
    repository.rulesets = left;
    return { status: 204, body: undefined };
  },
} satisfies Handlers;

function renderRuleset(
  { world, urls, caller, repository }: Call<"repos/get-repo-ruleset"> | Call<"repos/create-repo-ruleset">,
  ruleset: Ruleset,
): RulesetBody {
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
    // Only administrators see the bypass actors.
    ...(hasRole(writer.role, "admin") ? { bypass_actors: renderBypass(ruleset) } : {}),
  };
  return body as RulesetBody;
}

const renderBypass = ({ bypass }: Ruleset) =>
  bypass.map(({ actor, mode }, index) => ({
    actor_id: index + 1,
    actor_type: actor.startsWith("role:") ? "RepositoryRole" : "Integration",
    bypass_mode: mode,
  }));

type NewRuleset = BodyOf<"repos/create-repo-ruleset">;
type BypassActor = NonNullable<NewRuleset["bypass_actors"]>[number];
type RuleBody = NonNullable<NewRuleset["rules"]>[number];

/** The ids of GitHub's roles in rulesets. */
const roles: Readonly<Record<number, string>> = { 2: "maintain", 4: "write", 5: "admin" };

const ruleTypes: ReadonlySet<string> = new Set<Rule["type"]>([
  "creation",
  "update",
  "deletion",
  "required_linear_history",
  "required_signatures",
  "non_fast_forward",
  "pull_request",
  "required_status_checks",
  "required_deployments",
  "merge_queue",
  "commit_message_pattern",
  "branch_name_pattern",
  "workflows",
  "code_scanning",
  "file_path_restriction",
  "max_file_size",
]);

/**
 * Parses a ruleset in the format of the API.
 * @throws a refusal for settings that the sandbox does not simulate
 */
function parseRuleset(world: World, body: NewRuleset): RulesetOptions {
  if ((body.target ?? "branch") !== "branch") throw unknown(`target ${body.target}`);
  const { include = [], exclude = [] } = body.conditions?.ref_name ?? {};
  return {
    name: body.name,
    enforcement: body.enforcement,
    include,
    exclude,
    rules: (body.rules ?? []).map(parseRule),
    bypass: (body.bypass_actors ?? []).map((one) => parseBypass(world, one)),
  };
}

function parseRule(rule: RuleBody): RuleOptions {
  if (!ruleTypes.has(rule.type)) throw unknown(`rule ${rule.type}`);
  const isBare = !("parameters" in rule) || rule.type === "update";
  return (isBare ? rule.type : { ...rule.parameters, type: rule.type }) as RuleOptions;
}

function parseBypass(world: World, { actor_id, actor_type, bypass_mode = "always" }: BypassActor) {
  const app = actor_type === "Integration" && world.apps.find(({ id }) => id === actor_id);
  if (app) return { actor: app.slug, mode: bypass_mode };
  const role = actor_type === "RepositoryRole" ? roles[actor_id ?? 0] : undefined;
  if (role === undefined) throw unknown(`bypass actor ${actor_type} ${actor_id}`);
  return { actor: `role:${role}`, mode: bypass_mode };
}

const unknown = (what: string) => new Refusal(422, `The sandbox does not simulate the ${what}.`);
