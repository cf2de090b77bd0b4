import type { OwnBranchNames, RuleFact, RulesetFact, RulesFact } from "../../ports/code-host/doctor-facts.ts";
import { type BranchRule, readBranchRules } from "../access/protection.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/** Each ruleset is one more call. Beyond this number, it stays unknown whether the App can bypass them. */
const maxRulesets = 20;

const modes: Readonly<Record<string, RulesetFact["bypass"]>> = {
  always: "always",
  pull_requests_only: "pull_request",
  exempt: "exempt",
  never: "never",
};

/** The rules of the base and of the queue's own branches, which need not exist; null: the plan has no rulesets. */
export async function readRules(
  api: RepositoryApi,
  branch: string,
  { test, scratch }: OwnBranchNames,
): Promise<RulesFact> {
  const lists = await Promise.all([branch, test, scratch].map((name) => readBranchRules(api, name)));
  const [base, ofTest, ofScratch] = lists;
  if (!base || !ofTest || !ofScratch) return null;
  const ids = [...new Set(lists.flatMap((rules) => (rules ?? []).map(({ ruleset_id: id }) => id)))];
  const read = ids.filter((id) => id !== undefined).slice(0, maxRulesets);
  const rulesets = new Map(
    await Promise.all(read.map(async (id) => [id, await readRuleset(api, id)] as const)),
  );
  const facts = (rules: readonly BranchRule[]) => rules.map((rule) => toFact(rule, rulesets));
  return { base: facts(base), test: facts(ofTest), scratch: facts(ofScratch) };
}

function toFact(rule: BranchRule, rulesets: ReadonlyMap<number, RulesetFact>): RuleFact {
  const known = rule.ruleset_id === undefined ? undefined : rulesets.get(rule.ruleset_id);
  const name = `ruleset ${rule.ruleset_id ?? "of unknown id"}`;
  const parameters = "parameters" in rule ? rule.parameters : undefined;
  return {
    type: rule.type,
    parameters: (parameters ?? {}) as Readonly<Record<string, unknown>>,
    ruleset: known ?? { name, url: null, bypass: "unknown" },
  };
}

/** https://docs.github.com/en/rest/repos/rules#get-a-repository-ruleset */
async function readRuleset({ octokit, at }: RepositoryApi, ruleset_id: number): Promise<RulesetFact> {
  try {
    const { data } = await octokit.rest.repos.getRepoRuleset({ ...at, ruleset_id });
    const told: string = data.current_user_can_bypass ?? "";
    const url = data._links?.html?.href ?? null;
    return { name: data.name, url, bypass: modes[told] ?? "unknown" };
  } catch (error) {
    const status = statusOf(error);
    if (status !== 403 && status !== 404) throw error;
    return { name: `ruleset ${ruleset_id}`, url: null, bypass: "unknown" };
  }
}
