import { GraphqlResponseError } from "@octokit/graphql";
import * as z from "zod";
import type {
  CallBudget,
  ProtectionFact,
  PushedBranch,
  RepositoryFact,
  WorkflowFiles,
} from "../../ports/code-host/doctor-facts.ts";
import { namedChecks } from "../access/protection.ts";
import { readFile } from "../access/repository-files.ts";
import { statusOf } from "../client/code-host-error.ts";
import { askGraphql, nullIfNotFound, type RepositoryApi } from "../client/repository-api.ts";
import { listBranches } from "../test-commits/branches.ts";

export async function readRepository({ octokit, at }: RepositoryApi): Promise<RepositoryFact> {
  const { data } = await octokit.rest.repos.get({ ...at });
  return {
    url: data.html_url,
    defaultBranch: data.default_branch,
    allowMergeCommit: data.allow_merge_commit ?? null,
    allowSquashMerge: data.allow_squash_merge ?? null,
    allowRebaseMerge: data.allow_rebase_merge ?? null,
    allowAutoMerge: data.allow_auto_merge ?? null,
    hasMergeTitle: data.merge_commit_title !== "PR_TITLE",
  };
}

export async function readProtection(api: RepositoryApi, branch: string): Promise<ProtectionFact> {
  const { data } = await api.octokit.rest.repos.getBranch({ ...api.at, branch });
  const isProtected = data.protection.enabled === true;
  return {
    isProtected,
    details: isProtected ? await readDetails(api, branch) : null,
    required: namedChecks(data.protection.required_status_checks),
  };
}

/** Only Apps with the permission Administration can read all of it, and Trainyard does not request it. */
async function readDetails(api: RepositoryApi, branch: string): Promise<ProtectionFact["details"]> {
  try {
    const { data } = await api.octokit.rest.repos.getBranchProtection({ ...api.at, branch });
    return {
      strict: data.required_status_checks?.strict ?? false,
      linearHistory: data.required_linear_history?.enabled ?? false,
      signatures: data.required_signatures?.enabled ?? false,
      ...(data.lock_branch?.enabled ? { locked: true } : {}),
    };
  } catch (error) {
    const status = statusOf(error);
    if (status === 403 || status === 404) return readShownDetails(api, branch);
    throw error;
  }
}

const shownQuery = {
  variables: "$branch: String!",
  fields: `ref(qualifiedName: $branch) { refUpdateRule { requiresLinearHistory requiresSignatures } }
    pullRequests(states: OPEN, baseRefName: $branch, first: 30) { nodes { mergeStateStatus } }`,
  shape: z.object({
    ref: z
      .object({
        refUpdateRule: z
          .object({ requiresLinearHistory: z.boolean(), requiresSignatures: z.boolean() })
          .nullable(),
      })
      .nullable(),
    pullRequests: z.object({ nodes: z.array(z.object({ mergeStateStatus: z.string() })) }),
  }),
};

/**
 * What everybody can see. GitHub calls a pull request "behind" only if its base requires heads to be up to date. Null: that is hidden, too.
 */
async function readShownDetails(api: RepositoryApi, branch: string): Promise<ProtectionFact["details"]> {
  try {
    const shown = await askGraphql(api, shownQuery, { branch });
    const isStrict = shown.pullRequests.nodes.some(({ mergeStateStatus: state }) => state === "BEHIND");
    const rule = shown.ref?.refUpdateRule;
    return {
      strict: isStrict ? true : null,
      linearHistory: rule?.requiresLinearHistory ?? false,
      signatures: rule?.requiresSignatures ?? false,
    };
  } catch (error) {
    if (error instanceof GraphqlResponseError) return null;
    throw error;
  }
}

/** This call does not count against the budget. https://docs.github.com/en/rest/rate-limit/rate-limit */
export async function readBudget({ octokit }: RepositoryApi): Promise<CallBudget | null> {
  // An Enterprise Server without limits answers 404 "Rate limiting is not enabled."
  const core = (await nullIfNotFound(octokit.rest.rateLimit.get()))?.resources.core;
  return core ? { limit: core.limit, remaining: core.remaining, resetAt: core.reset * 1000 } : null;
}

const maxBranches = 5;

/** Some of the branches with the prefix of test branches, and the users that pushed them. */
export async function readTestBranches(api: RepositoryApi, prefix: string): Promise<PushedBranch[]> {
  const names = (await listBranches(api, prefix)).slice(0, maxBranches);
  return Promise.all(names.map(async (name) => ({ name, by: await lastPusherOf(api, name) })));
}

async function lastPusherOf({ octokit, at }: RepositoryApi, branch: string): Promise<string | null> {
  // The branch was removed meanwhile, or this server keeps no such record.
  const ref = `refs/heads/${branch}`;
  const pushes = await nullIfNotFound(octokit.rest.repos.listActivities({ ...at, ref, per_page: 1 }));
  return pushes?.[0]?.actor?.login ?? null;
}

const directory = ".github/workflows";
/** The maximum number of files that are read, each by one call. */
const maxFiles = 20;

/** The workflows of a branch. */
export async function readWorkflowFiles(api: RepositoryApi, ref: string): Promise<WorkflowFiles> {
  const paths = (await listFiles(api, ref)).filter((path) => /\.ya?ml$/.test(path));
  const files = await Promise.all(
    paths.slice(0, maxFiles).map(async (path) => {
      const text = await readFile(api, ref, path);
      return text === null ? [] : [{ path, text }];
    }),
  );
  return { files: files.flat(), unread: Math.max(0, paths.length - maxFiles) };
}

async function listFiles({ octokit, at }: RepositoryApi, ref: string): Promise<string[]> {
  const entries = await nullIfNotFound(octokit.rest.repos.getContent({ ...at, path: directory, ref }));
  return Array.isArray(entries) ? entries.filter(({ type }) => type === "file").map(({ path }) => path) : [];
}
