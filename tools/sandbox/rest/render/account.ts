import type { Account, App, Installation, Membership } from "../../world/account.ts";
import type { Schema } from "../operation.ts";
import { isoTime, isoTimeOrNull, nodeId, type Urls } from "../urls.ts";

export function renderAccount(urls: Urls, account: Account) {
  const url = urls.account(account);
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    avatar_url: `${urls.base}/avatars/u/${account.id}`,
    gravatar_id: "",
    url,
    html_url: `${urls.base}/${encodeURIComponent(account.login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    user_view_type: "public",
    site_admin: false,
  } satisfies Schema<"simple-user">;
}

/** The full form of an account, as the user operations return it. */
export function renderUser(urls: Urls, account: Account) {
  return {
    ...renderAccount(urls, account),
    user_view_type: "public",
    name: account.login,
    company: null,
    blog: "",
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: isoTime(account.createdAt),
    updated_at: isoTime(account.createdAt),
  } satisfies Schema<"public-user">;
}

export function renderOrganization(urls: Urls, owner: Account) {
  const url = `${urls.api}/orgs/${owner.login}`;
  return {
    login: owner.login,
    id: owner.id,
    node_id: nodeId("Organization", owner.id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${urls.base}/avatars/u/${owner.id}`,
    description: null,
  };
}

export function renderMembership(
  urls: Urls,
  organisation: Account,
  account: Account,
  membership: Membership,
) {
  const url = `${urls.api}/orgs/${organisation.login}`;
  return {
    url: `${url}/memberships/${account.login}`,
    state: membership.state,
    role: membership.role,
    organization_url: url,
    organization: renderOrganization(urls, organisation),
    user: renderAccount(urls, account),
  } satisfies Schema<"org-membership">;
}

export function renderApp(urls: Urls, app: App) {
  return {
    id: app.id,
    client_id: app.clientId,
    slug: app.slug,
    node_id: nodeId("App", app.id),
    owner: renderAccount(urls, app.owner),
    name: app.name,
    description: null,
    external_url: app.externalUrl,
    html_url: `${urls.base}/apps/${app.slug}`,
    created_at: isoTime(app.createdAt),
    updated_at: isoTime(app.createdAt),
    permissions: { ...app.permissions },
    events: [...app.events],
  } satisfies NonNullable<Schema<"integration">>;
}

export function renderInstallation(urls: Urls, installation: Installation) {
  const { id, app, account, createdAt, permissions, selected, suspendedAt } = installation;
  return {
    id,
    client_id: app.clientId,
    account: renderAccount(urls, account),
    repository_selection: selected === null ? "all" : "selected",
    access_tokens_url: `${urls.api}/app/installations/${id}/access_tokens`,
    repositories_url: `${urls.api}/installation/repositories`,
    html_url: `${urls.base}/organizations/${account.login}/settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: { ...permissions },
    events: [...app.events],
    created_at: isoTime(createdAt),
    updated_at: isoTime(createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspendedAt === null ? null : renderAccount(urls, account),
    suspended_at: isoTimeOrNull(suspendedAt),
  } satisfies Schema<"installation">;
}
