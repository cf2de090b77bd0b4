import type { Rule, RuleOptions, RulesetOptions } from "../world/rules/ruleset.ts";
import type { World } from "../world/world.ts";
import type { BodyOf } from "./operation.ts";
import { Refusal } from "./refusal.ts";

type RulesetBody = BodyOf<"repos/create-repo-ruleset">;
type BypassActor = NonNullable<RulesetBody["bypass_actors"]>[number];
type RuleBody = NonNullable<RulesetBody["rules"]>[number];

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
export function parseRuleset(world: World, body: RulesetBody): RulesetOptions {
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
