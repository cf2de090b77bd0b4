import { matchesGlob } from "node:path";
import type { Commit } from "../../git/git-object.ts";
import { changedPaths, entryAt } from "../../git/tree-files.ts";
import { latestRuns } from "../checks/check.ts";
import { type PullRequest, reviewRulesOfRule } from "../pulls/pull-request.ts";
import type { MergeMethod, Repository } from "../repository.ts";
import { requiredCheckState, unmetChecksMessage } from "./protection.ts";
import { unmetReviewRules } from "./review-rules.ts";
import type { Rule } from "./ruleset.ts";

/** A change of a branch that the rules must allow. */
export interface BranchChange {
  repository: Repository;
  branch: string;
  before: string | null;
  after: string | null;
  /** The pull request that the change merges, and the method; null = the change is not a merge of one. */
  merging: { pull: PullRequest; method: MergeMethod } | null;
  /** Whether strict rules refuse a head that lacks the base tip. */
  isStrict: boolean;
}

type RuleOf<Type extends Rule["type"]> = Extract<Rule, { type: Type }>;
type Violations = string[] | Promise<string[]>;

/** Returns GitHub's reasons why one rule forbids a change. Empty = the change is allowed. */
export function violationsOf(rule: Rule, change: BranchChange): Violations {
  const { before, after } = change;
  if (after === null) return rule.type === "deletion" ? ["Cannot delete this branch"] : [];
  const made = { ...change, after };
  switch (rule.type) {
    case "creation":
      return before === null ? ["Cannot create ref due to creations being restricted."] : [];
    case "update":
      return before === null ? [] : ["Cannot update this protected ref."];
    case "deletion":
      return [];
    case "branch_name_pattern":
      return before === null ? patternViolation("Branch name", rule, [change.branch]) : [];
    case "non_fast_forward":
      return isForced(made);
    case "required_linear_history":
      return withoutMerges(made);
    case "required_signatures":
      return withSignatures(made);
    case "commit_message_pattern":
      return withMessages(rule, made);
    case "merge_queue":
      return before === null ? [] : ["Changes must be made through the merge queue"];
    case "pull_request":
      return throughPullRequest(rule, made);
    case "required_status_checks":
      return withChecks(rule, made);
    case "required_deployments":
      return withDeployments(rule, made);
    case "workflows":
      return withWorkflows(rule, made);
    case "code_scanning":
      return withScans(rule, made);
    case "file_path_restriction":
      return withoutPaths(rule, made);
    case "max_file_size":
      return withoutLargeFiles(rule, made);
  }
}

type Made = BranchChange & { after: string };

/** Returns the commits that are new on the branch. For a new branch, the commits that the default branch does not have. */
function newCommits({ repository, before, after }: Made): Promise<Commit[]> {
  return repository.git.graph.range(before ?? repository.branch(repository.defaultBranch), after);
}

async function isForced({ repository, before, after }: Made): Promise<string[]> {
  const isForward = before === null || (await repository.git.graph.contains(after, before));
  return isForward ? [] : ["Cannot force-push to this branch"];
}

async function withoutMerges(change: Made): Promise<string[]> {
  const merges = (await newCommits(change)).filter(({ parents }) => parents.length > 1);
  return merges.length === 0 ? [] : [listed("This branch must not contain merge commits.", merges)];
}

/** In the sandbox, only commits that GitHub itself commits count as signed. */
async function withSignatures(change: Made): Promise<string[]> {
  const unsigned = (await newCommits(change)).filter(
    ({ committer }) => committer.email !== "noreply@github.com",
  );
  return unsigned.length === 0 ? [] : [listed("Commits must have verified signatures.", unsigned)];
}

function listed(sentence: string, commits: readonly Commit[]): string {
  const noun = commits.length === 1 ? "violation" : "violations";
  return [`${sentence}\n  Found ${commits.length} ${noun}:\n`, ...commits.map(({ sha }) => `  ${sha}`)].join(
    "\n",
  );
}

async function withMessages(rule: RuleOf<"commit_message_pattern">, change: Made): Promise<string[]> {
  const messages = (await newCommits(change)).map(({ message }) => message);
  return patternViolation("Commit message", rule, messages);
}

const operators: Record<
  RuleOf<"branch_name_pattern">["parameters"]["operator"],
  { verb: string; matches: (text: string, pattern: string) => boolean }
> = {
  starts_with: { verb: "start with", matches: (text, pattern) => text.startsWith(pattern) },
  ends_with: { verb: "end with", matches: (text, pattern) => text.endsWith(pattern) },
  contains: { verb: "contain", matches: (text, pattern) => text.includes(pattern) },
  regex: {
    verb: "match a given regex pattern:",
    matches: (text, pattern) => new RegExp(pattern, "m").test(text),
  },
};

function patternViolation(
  subject: string,
  { parameters }: RuleOf<"commit_message_pattern" | "branch_name_pattern">,
  texts: readonly string[],
): string[] {
  const { operator, pattern, negate } = parameters;
  const { verb, matches } = operators[operator];
  const isBroken = texts.some((text) => matches(text, pattern) === negate);
  return isBroken ? [`${subject} must ${negate ? "not " : ""}${verb} ${pattern}`] : [];
}

async function throughPullRequest(rule: RuleOf<"pull_request">, change: Made): Promise<string[]> {
  const { merging, before } = change;
  if (merging === null) return before === null ? [] : ["Changes must be made through a pull request."];
  const unmet = await unmetReviewRules(merging.pull, reviewRulesOfRule(rule));
  const isAllowed = rule.parameters.allowed_merge_methods.includes(merging.method);
  return isAllowed ? unmet : [...unmet, `Merge method ${merging.method} is not allowed on this branch.`];
}

async function withChecks(rule: RuleOf<"required_status_checks">, change: Made): Promise<string[]> {
  const { repository, before, after, merging, isStrict } = change;
  const { parameters } = rule;
  if (before === null && parameters.do_not_enforce_on_create) return [];
  const required = parameters.required_status_checks.map(({ context, integration_id: id }) => ({
    context,
    appId: id ?? null,
  }));
  const sha = merging?.pull.head.sha ?? after;
  const isStrictly = merging !== null && isStrict && parameters.strict_required_status_checks_policy;
  const isBehind =
    isStrictly && before !== null && !(await repository.git.graph.contains(merging.pull.head.sha, before));
  const unmet = unmetChecksMessage(required, (check) =>
    isBehind ? "expected" : requiredCheckState(repository, sha, check),
  );
  return unmet === null ? [] : [unmet];
}

/** The sandbox has no deployments, so all environments lack one. */
function withDeployments({ parameters }: RuleOf<"required_deployments">, { before }: Made): string[] {
  const missing = parameters.required_deployment_environments;
  if (before === null || missing.length === 0) return [];
  const names = new Intl.ListFormat("en").format(missing);
  return [`Missing successful active ${names} ${missing.length === 1 ? "deployment" : "deployments"}.`];
}

/** Required workflows run only for pull requests. */
function withWorkflows({ parameters }: RuleOf<"workflows">, change: Made): string[] {
  const { repository, before, merging } = change;
  if (before === null && parameters.do_not_enforce_on_create) return [];
  const runs = merging === null ? [] : repository.suitesOf(merging.pull.head.sha).flatMap(latestRuns);
  const ofActions = runs.filter(({ suite }) => suite.app.slug === "github-actions");
  const hasPassed = ofActions.length > 0 && ofActions.every(({ conclusion }) => conclusion === "success");
  return hasPassed ? [] : parameters.workflows.map(({ path }) => `Required workflow ${path} is expected.`);
}

function withScans({ parameters }: RuleOf<"code_scanning">, change: Made): string[] {
  const sha = change.merging?.pull.head.sha ?? change.after;
  const runs = change.repository.suitesOf(sha).flatMap(latestRuns);
  return parameters.code_scanning_tools.flatMap(({ tool }) =>
    runs.some(({ name, conclusion }) => name === tool && conclusion === "success")
      ? []
      : [`Code scanning is waiting for results from ${tool} for the commit ${sha}.`],
  );
}

async function changedFiles({ repository, before, after }: Made): Promise<string[]> {
  const { git } = repository;
  const from = before ?? repository.branch(repository.defaultBranch);
  const tree = async (sha: string | null) => (sha === null ? null : ((await git.commit(sha))?.tree ?? null));
  const { added, modified } = await changedPaths(git, await tree(from), await tree(after));
  return [...added, ...modified];
}

async function withoutPaths(
  { parameters }: RuleOf<"file_path_restriction">,
  change: Made,
): Promise<string[]> {
  const { restricted_file_paths: patterns } = parameters;
  const forbidden = (await changedFiles(change)).filter((path) =>
    patterns.some((pattern) => matchesGlob(path, pattern)),
  );
  return forbidden.length === 0 ? [] : [`File path ${forbidden.join(", ")} is restricted.`];
}

async function withoutLargeFiles({ parameters }: RuleOf<"max_file_size">, change: Made): Promise<string[]> {
  const { git } = change.repository;
  const tree = (await git.commit(change.after))?.tree ?? "";
  const limit = parameters.max_file_size;
  const large: string[] = [];
  for (const path of await changedFiles(change)) {
    const entry = await entryAt(git, tree, path);
    const size = entry === null ? 0 : ((await git.readObject(entry.sha))?.content.length ?? 0);
    if (size > limit * 1_048_576) large.push(path);
  }
  return large.length === 0 ? [] : [`File ${large.join(", ")} exceeds the maximum size of ${limit} MB.`];
}
