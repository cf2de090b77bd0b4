import { accountOf } from "../../auth/authorize.ts";
import { grants, hasRole } from "../../world/account.ts";
import type { Repository } from "../../world/repository.ts";
import { renameBranch } from "../../world/repository-life.ts";
import { type Protection, protectionOf } from "../../world/rules/protection.ts";
import { checkPlan, paginate } from "../lookups.ts";
import type { Call, Handlers } from "../operation.ts";

import { notFound, Refusal } from "../refusal.ts";
import { renderCommit } from "../render/commit.ts";
import type { Urls } from "../urls.ts";

const branchUrl = (urls: Urls, repository: Repository, branch: string): string =>
  `${urls.repository(repository)}/branches/${encodeURIComponent(branch)}`;

const renderChecks = ({ requiredChecks }: Protection) => ({
  contexts: requiredChecks.map(({ context }) => context),
  checks: requiredChecks.map(({ context, appId }) => ({ context, app_id: appId })),
});

/** The part of the protection that everyone who can read the branch sees. */
const renderSummary = (protection: Protection | null) =>
  protection === null
    ? { enabled: false, required_status_checks: { enforcement_level: "off", contexts: [], checks: [] } }
    : {
        enabled: true,
        required_status_checks: {
          enforcement_level: protection.enforceAdmins ? "everyone" : "non_admins",
          ...renderChecks(protection),
        },
      };

const renderPolicy = (url: string, protection: Protection) => ({
  url: `${url}/required_status_checks`,
  contexts_url: `${url}/required_status_checks/contexts`,
  strict: protection.strict,
  ...renderChecks(protection),
});

function renderProtection(url: string, protection: Protection) {
  return {
    url,
    ...(protection.requiredChecks.length > 0 || protection.strict
      ? { required_status_checks: renderPolicy(url, protection) }
      : {}),
    ...(protection.requiredReviews === null
      ? {}
      : {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            dismiss_stale_reviews: protection.reviews.dismissStale,
            require_code_owner_reviews: protection.reviews.codeOwners,
            require_last_push_approval: protection.reviews.lastPushApproval,
            required_approving_review_count: protection.requiredReviews,
          },
        }),
    required_signatures: { url: `${url}/required_signatures`, enabled: protection.signatures },
    enforce_admins: { url: `${url}/enforce_admins`, enabled: protection.enforceAdmins },
    required_linear_history: { enabled: protection.linearHistory },
    allow_force_pushes: { enabled: protection.allowForcePushes },
    allow_deletions: { enabled: protection.allowDeletions },
    block_creations: { enabled: false },
    required_conversation_resolution: { enabled: protection.reviews.conversations },
    lock_branch: { enabled: protection.locked },
    allow_fork_syncing: { enabled: false },
  };
}

function protectionOrRefuse(repository: Repository, branch: string): Protection {
  checkPlan(repository);
  if (repository.branch(branch) === null) throw notFound("Branch not found");
  const protection = protectionOf(repository.protections, branch);
  if (protection === null) throw notFound("Branch not protected");
  return protection;
}

async function renderBranch(
  { world, urls, repository }: Call<"repos/get-branch"> | Call<"repos/rename-branch">,
  name: string,
) {
  const sha = repository.branch(name);
  const commit = sha === null ? null : await repository.git.commit(sha);
  if (commit === null) throw notFound("Branch not found");
  const protection = protectionOf(repository.protections, name);
  const url = branchUrl(urls, repository, name);
  return {
    name,
    commit: renderCommit(world, urls, repository, commit),
    _links: { self: url, html: `${urls.html(repository)}/tree/${name}` },
    protected: protection !== null,
    protection: renderSummary(protection),
    protection_url: `${url}/protection`,
  };
}

/** Only administrators may rename the default branch. */
function mayAdminister({ world, caller, repository }: Call<"repos/rename-branch">): boolean {
  if (caller.kind === "installation") return grants(caller.permissions, "administration", "write");
  return caller.kind === "user" && hasRole(world.roleIn(repository, caller.account), "admin");
}

export const branchOperations = {
  "repos/get-branch": async (call) => ({ status: 200, body: await renderBranch(call, call.path.branch) }),

  "repos/rename-branch": async (call) => {
    const { world, caller, path, body, repository } = call;
    if (repository.branch(path.branch) === null) throw notFound("Branch not found");
    if (path.branch === repository.defaultBranch && !mayAdminister(call))
      throw new Refusal(403, "Resource not accessible by integration");
    if (repository.branch(body.new_name) !== null)
      throw new Refusal(422, `A branch named ${body.new_name} exists already.`);
    await renameBranch(world, repository, path.branch, body.new_name, accountOf(caller));
    return { status: 201, body: await renderBranch(call, body.new_name) };
  },

  "repos/list-branches": (call) => {
    const { urls, repository, query } = call;
    const branches = repository.git.refs
      .list("refs/heads/")
      .map(([ref, sha]) => ({ name: ref.slice("refs/heads/".length), sha }))
      .map(({ name, sha }) => ({ name, sha, protection: protectionOf(repository.protections, name) }))
      .filter(({ protection }) => query.protected === undefined || query.protected === (protection !== null));
    const { page, headers } = paginate(call, branches);
    const body = page.map(({ name, sha, protection }) => ({
      name,
      commit: { sha, url: `${urls.repository(repository)}/commits/${sha}` },
      protected: protection !== null,
      protection: renderSummary(protection),
      protection_url: `${branchUrl(urls, repository, name)}/protection`,
    }));
    return { status: 200, body, headers };
  },

  "repos/get-branch-protection": ({ urls, path, repository }) => {
    const url = `${branchUrl(urls, repository, path.branch)}/protection`;
    return { status: 200, body: renderProtection(url, protectionOrRefuse(repository, path.branch)) };
  },

  "repos/get-status-checks-protection": ({ urls, path, repository }) => {
    const url = `${branchUrl(urls, repository, path.branch)}/protection`;
    return { status: 200, body: renderPolicy(url, protectionOrRefuse(repository, path.branch)) };
  },
} satisfies Handlers;
