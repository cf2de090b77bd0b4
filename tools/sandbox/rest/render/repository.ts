import { permissionFlags, type Role } from "../../world/account.ts";
import { isOpen } from "../../world/pulls/pull-request.ts";
import type { Repository } from "../../world/repository.ts";
import type { Schema } from "../operation.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";
import { renderAccount } from "./account.ts";

function renderLinks(urls: Urls, repository: Repository) {
  const url = urls.repository(repository);
  return {
    url,
    html_url: urls.html(repository),
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    hooks_url: `${url}/hooks`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
    clone_url: urls.clone(repository),
    git_url: urls.clone(repository).replace(/^http/, "git"),
    ssh_url: `ssh://git@${new URL(urls.base).hostname}/${repository.fullName}.git`,
    svn_url: urls.html(repository),
    mirror_url: null,
  };
}

/** Renders a repository in full. GitHub's shorter forms are parts of it. */
export function renderRepository(urls: Urls, repository: Repository) {
  const openPulls = [...repository.pulls.values()].filter(isOpen).length;
  return {
    ...renderLinks(urls, repository),
    id: repository.id,
    node_id: nodeId("Repository", repository.id),
    name: repository.name,
    full_name: repository.fullName,
    owner: renderAccount(urls, repository.owner),
    private: !repository.isPublic,
    visibility: repository.isPublic ? ("public" as const) : ("private" as const),
    description: null,
    homepage: null,
    language: null,
    license: null,
    fork: repository.parent !== null,
    archived: repository.archived,
    disabled: false,
    is_template: false,
    topics: [],
    default_branch: repository.defaultBranch,
    has_discussions: false,
    has_downloads: true,
    has_issues: true,
    has_pages: false,
    has_projects: true,
    has_wiki: true,
    allow_forking: false,
    web_commit_signoff_required: false,
    forks: 0,
    forks_count: 0,
    open_issues: openPulls,
    open_issues_count: openPulls,
    size: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    created_at: isoTime(repository.createdAt),
    updated_at: isoTime(repository.pushedAt),
    pushed_at: isoTime(repository.pushedAt),
  } satisfies Schema<"repository">;
}

/** Renders the response of the repository operation, which also has counts, merge settings, and the caller's permissions. */
export function renderFullRepository(
  urls: Urls,
  repository: Repository,
  role: Role,
): Schema<"full-repository"> {
  const { mergeMethods } = repository;
  return {
    ...renderRepository(urls, repository),
    permissions: permissionFlags(role),
    network_count: 0,
    subscribers_count: 0,
    allow_merge_commit: mergeMethods.includes("merge"),
    allow_squash_merge: mergeMethods.includes("squash"),
    allow_rebase_merge: mergeMethods.includes("rebase"),
    allow_auto_merge: repository.allowAutoMerge,
    allow_update_branch: false,
    delete_branch_on_merge: repository.deleteBranchOnMerge,
    ...repository.messages,
    ...(repository.owner.type === "Organization"
      ? { organization: renderAccount(urls, repository.owner) }
      : {}),
  };
}
