import type { Octokit } from "@octokit/rest";
import type {
  AppFact,
  DoctorFacts,
  DoctorPlace,
  FactName,
  HookDelivery,
  HookFact,
  OwnBranchNames,
  RuleFact,
  RulesetFact,
  RulesFact,
  ServerFact,
} from "../../ports/code-host/doctor-facts.ts";
import { grantedPermissions, ownerPath } from "../access/app-registration.ts";
import { type BranchRule, readBranchRules, readRequiredChecks } from "../access/protection.ts";
import { readReach } from "../access/reach.ts";
import { readRepositoryFile } from "../access/repository-files.ts";
import type { AppClient } from "../client/app-client.ts";
import { CodeHostError, messageOf, statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { findObstacles } from "../test-commits/branches.ts";
import { readHeads, readPushed } from "./read-reports.ts";
import {
  readBudget,
  readProtection,
  readRepository,
  readTestBranches,
  readWorkflowFiles,
} from "./read-repository-facts.ts";

type Readers = { readonly [Name in FactName]: (place: DoctorPlace) => Promise<DoctorFacts[Name]> };

export function factReaders(client: AppClient): Readers {
  const { app } = client;
  const apiOf = ({ repo, installationId }: DoctorPlace): RepositoryApi => {
    if (installationId === null)
      throw new CodeHostError("not_found", "the GitHub App is not installed there");
    return client.repository({ ...repo, installationId });
  };
  return {
    app: () => readApp(app),
    server: () => readServer(app),
    hook: () => readHook(app),
    deliveries: () => readDeliveries(app),
    budget: async (place) => readBudget(apiOf(place)),
    reach: async ({ repo, branch, installationId }) =>
      installationId === null
        ? { kind: "not_installed" }
        : readReach(client, { repo, branch, installationId, repositoryId: null }),
    repository: async (place) => readRepository(apiOf(place)),
    protection: async (place) => readProtection(apiOf(place), place.branch),
    rules: async (place) => readRules(apiOf(place), place.branch, place.ownBranches),
    required: async (place) => readRequiredChecks(apiOf(place), place.branch),
    workflows: async (place) => readWorkflowFiles(apiOf(place), place.branch),
    pushed: async (place) => readPushed(apiOf(place), place.branch, place.ownBranches.testPrefix),
    heads: async (place) => readHeads(apiOf(place), place.branch),
    testBranches: async (place) => readTestBranches(apiOf(place), place.ownBranches.testPrefix),
    obstacles: async (place) => {
      const { test, scratch } = place.ownBranches;
      const found = [test, scratch].map((name) => findObstacles(apiOf(place), name));
      return [...new Set((await Promise.all(found)).flat())];
    },
    repositoryFile: async (place) => readRepositoryFile(apiOf(place), place.branch),
  };
}

/** @param app authenticates as the App, here and below */
export async function readApp(app: Octokit): Promise<AppFact> {
  try {
    const { data } = await app.rest.apps.getAuthenticated();
    if (data === null) return { kind: "refused", reason: "GET /app did not return an App" };
    const slug = data.slug ?? "";
    return {
      kind: "read",
      id: data.id,
      slug,
      permissions: grantedPermissions(data.permissions),
      events: data.events,
      settingsUrl: `${new URL(data.html_url).origin}${ownerPath(data.owner)}/settings/apps/${slug}`,
    };
  } catch (error) {
    const status = statusOf(error);
    if (status !== 401 && status !== 404) throw error;
    return { kind: "refused", reason: `GET /app answered ${status}: ${messageOf(error)}` };
  }
}

export async function readServer(app: Octokit): Promise<ServerFact> {
  const { headers } = await app.rest.apps.getAuthenticated();
  const told = headers as Readonly<Record<string, string | number | undefined>>;
  const date = Date.parse(String(told.date ?? ""));
  return {
    date: Number.isNaN(date) ? null : date,
    apiVersion: textOf(told["x-github-api-version-selected"]),
    enterpriseVersion: textOf(told["x-github-enterprise-version"]),
  };
}

function textOf(header: string | number | undefined): string | null {
  return header === undefined ? null : String(header);
}

/** https://docs.github.com/en/rest/apps/webhooks */
export async function readHook(app: Octokit): Promise<HookFact> {
  const { data } = await app.rest.apps.getWebhookConfigForApp();
  return { url: data.url || null };
}

export async function readDeliveries(app: Octokit): Promise<HookDelivery[]> {
  const { data } = await app.rest.apps.listWebhookDeliveries({ per_page: 100 });
  return data.map(({ guid, event, status, status_code: statusCode, delivered_at }) => ({
    guid,
    event,
    status,
    statusCode,
    at: Date.parse(delivered_at),
  }));
}

/** The maximum number of rulesets that are read, each by one call. For further ones it remains unknown whether the App can bypass them. */
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
