import type { components } from "@octokit/openapi-types";
import { type Account, hasRole, type Writer } from "../account.ts";
import type { Repository } from "../repository.ts";

type Parameters<Name extends keyof components["schemas"]> =
  components["schemas"][Name] extends infer Rule extends { parameters?: unknown }
    ? Required<NonNullable<Rule["parameters"]>>
    : never;
type BareRule =
  | "creation"
  | "update"
  | "deletion"
  | "required_linear_history"
  | "required_signatures"
  | "non_fast_forward";

/** The parameters of the rules that have parameters, with the names of the API. */
interface RuleParameters {
  pull_request: Omit<
    Parameters<"repository-rule-pull-request">,
    "dismissal_restriction" | "required_reviewers"
  >;
  required_status_checks: Parameters<"repository-rule-required-status-checks">;
  required_deployments: Parameters<"repository-rule-required-deployments">;
  merge_queue: Parameters<"repository-rule-merge-queue">;
  commit_message_pattern: Parameters<"repository-rule-commit-message-pattern">;
  branch_name_pattern: Parameters<"repository-rule-branch-name-pattern">;
  workflows: Parameters<"repository-rule-workflows">;
  code_scanning: Parameters<"repository-rule-code-scanning">;
  file_path_restriction: Parameters<"repository-rule-file-path-restriction">;
  max_file_size: Parameters<"repository-rule-max-file-size">;
}

/** https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets */
export type Rule =
  | { type: BareRule }
  | {
      [Type in keyof RuleParameters]: { type: Type; parameters: RuleParameters[Type] };
    }[keyof RuleParameters];

/** A rule as callers specify it: by its name, or with some of its parameters. */
export type RuleOptions =
  | BareRule
  | {
      [Type in keyof RuleParameters]: { type: Type } & Partial<RuleParameters[Type]>;
    }[keyof RuleParameters];

/**
 * When an actor bypasses the rules.
 * - `always`: when it merges a pull request and when it pushes over git, but not in other ways of the API.
 * - `pull_request`: only when it merges a pull request.
 * - `exempt`: the rules are not evaluated at all.
 */
export type BypassMode = "always" | "pull_request" | "exempt";

export interface RulesetOptions {
  name?: string;
  /** Default: `active`. */
  enforcement?: "active" | "evaluate" | "disabled";
  /** `~DEFAULT_BRANCH`, `~ALL`, or patterns of full ref names. Default: the default branch. */
  include?: string[];
  exclude?: string[];
  rules: RuleOptions[];
  /** Actors that bypass the ruleset: a login, an App's slug, or `role:` and a repository role. */
  bypass?: { actor: string; mode?: BypassMode }[];
}

export interface Ruleset {
  id: number;
  name: string;
  source: { type: "Repository" | "Organization"; name: string };
  enforcement: "active" | "evaluate" | "disabled";
  condition: RefNameCondition;
  rules: Rule[];
  bypass: { actor: string; mode: BypassMode }[];
}

const defaults: { [Type in keyof RuleParameters]: RuleParameters[Type] } = {
  pull_request: {
    allowed_merge_methods: ["merge", "squash", "rebase"],
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 0,
    required_review_thread_resolution: false,
  },
  required_status_checks: {
    do_not_enforce_on_create: false,
    required_status_checks: [],
    strict_required_status_checks_policy: false,
  },
  required_deployments: { required_deployment_environments: [] },
  merge_queue: {
    check_response_timeout_minutes: 60,
    grouping_strategy: "ALLGREEN",
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: "MERGE",
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5,
  },
  commit_message_pattern: { name: "", negate: false, operator: "contains", pattern: "" },
  branch_name_pattern: { name: "", negate: false, operator: "contains", pattern: "" },
  workflows: { do_not_enforce_on_create: false, workflows: [] },
  code_scanning: { code_scanning_tools: [] },
  file_path_restriction: { restricted_file_paths: [] },
  max_file_size: { max_file_size: 100 },
};

export function createRuleset(id: number, source: Ruleset["source"], options: RulesetOptions): Ruleset {
  return {
    id,
    name: options.name ?? `ruleset ${id}`,
    source,
    enforcement: options.enforcement ?? "active",
    condition: { include: options.include ?? ["~DEFAULT_BRANCH"], exclude: options.exclude ?? [] },
    rules: options.rules.map(createRule),
    bypass: (options.bypass ?? []).map(({ actor, mode = "always" }) => ({ actor, mode })),
  };
}

function createRule(options: RuleOptions): Rule {
  if (typeof options === "string") return { type: options };
  const { type, ...parameters } = options;
  return { type, parameters: { ...defaults[type], ...parameters } } as Rule;
}

/** Returns the rulesets of a repository and of its organisation. */
export const rulesetsOf = (repository: Repository): readonly Ruleset[] =>
  repository.plan === "free" ? [] : [...repository.rulesets, ...(repository.owner.rulesets ?? [])];

/** Returns the rulesets that are enforced on a branch. The branch need not exist. */
export function rulesetsOn(repository: Repository, branch: string): Ruleset[] {
  const target = { ref: `refs/heads/${branch}`, defaultBranch: repository.defaultBranch };
  return rulesetsOf(repository).filter(
    ({ enforcement, condition }) => enforcement === "active" && matchesRefName(condition, target),
  );
}

/** Returns the rules of one type that are enforced on a branch. */
export function rulesOn<Type extends Rule["type"]>(
  repository: Repository,
  branch: string,
  type: Type,
): Extract<Rule, { type: Type }>[] {
  const rules = rulesetsOn(repository, branch).flatMap((ruleset) => ruleset.rules);
  return rules.filter((rule): rule is Extract<Rule, { type: Type }> => rule.type === type);
}

const strongestFirst: readonly BypassMode[] = ["exempt", "always", "pull_request"];

/** Returns how a writer bypasses a ruleset; null = it does not. */
export function bypassModeOf(ruleset: Ruleset, { account, app, role }: Writer): BypassMode | null {
  const modes = ruleset.bypass.filter(({ actor }) => {
    if (actor.startsWith("role:")) return app === null && hasRole(role, actor.slice(5) as Writer["role"]);
    return isNamed(account, actor) || app?.slug === actor;
  });
  return strongestFirst.find((mode) => modes.some((one) => one.mode === mode)) ?? null;
}

const isNamed = ({ login }: Account, name: string): boolean => login.toLowerCase() === name.toLowerCase();

/** The refs that a ruleset applies to: full names, with the wildcards of Ruby's `File.fnmatch`. */
interface RefNameCondition {
  include: string[];
  exclude: string[];
}

export function matchesRefName(
  { include, exclude }: RefNameCondition,
  target: { ref: string; defaultBranch: string },
): boolean {
  const matches = (pattern: string) => matchesPattern(pattern, target);
  return include.some(matches) && !exclude.some(matches);
}

function matchesPattern(
  pattern: string,
  { ref, defaultBranch }: { ref: string; defaultBranch: string },
): boolean {
  if (pattern === "~ALL") return true;
  if (pattern === "~DEFAULT_BRANCH") return ref === `refs/heads/${defaultBranch}`;
  return toRegExp(pattern.startsWith("refs/") ? pattern : `refs/heads/${pattern}`).test(ref);
}

/**
 * With `FNM_PATHNAME`: a star does not match a slash, and only `**` before a slash matches directories. So `a/**` does not match
 * `a/b/c`, but `a/**` followed by a slash and a star does.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/creating-rulesets-for-a-repository#using-fnmatch-syntax
 */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*+|\?|[.+^${}()|\\]/g, (token) => {
    if (token === "**/") return "(?:[^/]+/)*";
    if (token.startsWith("*")) return "[^/]*";
    return token === "?" ? "[^/]" : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}
