import type { Octokit } from "@octokit/rest";
import { isSameName } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Installation, KnownPlace, Ownership, Reach } from "../../ports/code-host/app.ts";
import type { RepositoryPermission } from "../../ports/code-host/code-host.ts";
import type { AppClient } from "../client/app-client.ts";
import { CodeHostError, messageOf, statusOf, toCodeHostError } from "../client/code-host-error.ts";
import { nullIfNotFound, type RepositoryApi } from "../client/repository-api.ts";
import { currentBranchName } from "../test-commits/branches.ts";
import { grantedPermissions } from "./app-registration.ts";

type InstallationAnswer = Awaited<ReturnType<Octokit["rest"]["apps"]["getRepoInstallation"]>>["data"];
type RepositoryAnswer = Awaited<ReturnType<Octokit["rest"]["repos"]["get"]>>["data"];

/**
 * Reads how the App can access a repository. GitHub redirects an old name to `/repositories/{id}`. The id also distinguishes a repository
 * from another one that has taken its old name. The App itself asks by name, because Octokit creates an App's JWT only for addresses by
 * name. https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
 */
export async function readReach(client: AppClient, place: KnownPlace): Promise<Reach> {
  const { owner, name } = place.repo;
  const found =
    (await nullIfNotFound(client.app.rest.apps.getRepoInstallation({ owner, repo: name }))) ??
    (await nullIfNotFound(client.app.rest.apps.getInstallation({ installation_id: place.installationId })));
  if (found === null) return { kind: "not_installed" };
  const answer = found as InstallationAnswer;
  const installation = installationOf(answer);
  if (answer.suspended_at) return { kind: "suspended", installation };
  try {
    return await readRepository(client.installation(installation.id), place, installation);
  } catch (error) {
    if (isSuspension(error)) return { kind: "suspended", installation };
    throw error;
  }
}

async function readRepository(
  octokit: Octokit,
  { repo, branch, repositoryId }: KnownPlace,
  installation: Installation,
): Promise<Reach> {
  const path = repositoryId === null ? `/repos/${repo.owner}/${repo.name}` : `/repositories/${repositoryId}`;
  const repository = (await nullIfNotFound(octokit.request(`GET ${path}`))) as RepositoryAnswer | null;
  if (repository === null) return { kind: "not_visible" };
  const at = { owner: repository.owner.login, repo: repository.name };
  return {
    kind: "reached",
    repo: { host: repo.host, owner: at.owner, name: at.repo },
    repositoryId: repository.id,
    ownerId: repository.owner.id,
    archived: repository.archived,
    isPublic: !repository.private,
    branch: await currentBranchName({ octokit, at }, branch),
    installation,
  };
}

function installationOf({ id, account, permissions, html_url }: InstallationAnswer): Installation {
  const owner = account && "login" in account ? account.login : (account?.slug ?? "");
  const isPersonal = account !== null && "type" in account && account.type === "User";
  return { id, owner, isPersonal, permissions: grantedPermissions(permissions), settingsUrl: html_url };
}

function isSuspension(error: unknown): boolean {
  const message = error instanceof CodeHostError ? error.message : messageOf(error);
  return /installation has been suspended/i.test(message);
}

export async function findInstallation(
  client: AppClient,
  { owner, name }: RepositoryRef,
): Promise<number | null> {
  try {
    const found = await nullIfNotFound(client.app.rest.apps.getRepoInstallation({ owner, repo: name }));
    return found?.id ?? null;
  } catch (error) {
    throw toCodeHostError(error);
  }
}

/**
 * Whether somebody is this account, or an active owner of this organisation. People are compared by their ids, since logins can pass to
 * other accounts. Null if the installation is not on an account with this login.
 * https://docs.github.com/en/rest/orgs/members#get-organization-membership-for-a-user
 */
export async function readOwnership(
  client: AppClient,
  installation_id: number,
  login: string,
  person: { readonly id: number; readonly login: string },
): Promise<Ownership | null> {
  const found = await nullIfNotFound(client.app.rest.apps.getInstallation({ installation_id }));
  const account = found?.account;
  if (!found || !account || !("login" in account) || !isSameName(account.login, login)) return null;
  const { id: accountId } = account;
  if (found.suspended_at) return { accountId, isOwner: false };
  const installation = installationOf(found);
  if (installation.isPersonal) return { accountId, isOwner: accountId === person.id };
  client.noteGrants(installation);
  // Asking without the permission would be denied, and denials are asked again soon.
  if (account.type !== "Organization" || !installation.permissions.members)
    return { accountId, isOwner: false };
  const { orgs } = client.installation(installation_id).rest;
  const asked = orgs.getMembershipForUser({ org: account.login, username: person.login });
  const membership = await nullIfNotFound(asked);
  const isOwner =
    membership?.state === "active" &&
    membership.role === "admin" &&
    membership.user?.id === person.id &&
    membership.organization.id === accountId;
  return { accountId, isOwner };
}

const known: ReadonlySet<string> = new Set<RepositoryPermission>(["admin", "write", "read", "none"]);

/**
 * Reads a user's permission each time. An account that does not exist any more has no permission: GitHub says that it is not a user. Throws
 * `not_found` for any other 404: during incidents, GitHub gives this answer for existing users, who must not be refused because of it.
 */
export async function permissionOf(
  { octokit, at }: RepositoryApi,
  username: string,
  id?: number,
): Promise<RepositoryPermission> {
  const asked = octokit.rest.repos.getCollaboratorPermissionLevel({ ...at, username });
  const { data } = await asked.catch((error: unknown) => {
    if (statusOf(error) === 404 && /is not a user\b/.test(messageOf(error))) return { data: null };
    throw error;
  });
  if (data === null) return "none";
  if (id !== undefined && data.user?.id !== id) return "none";
  return known.has(data.permission) ? (data.permission as RepositoryPermission) : "none";
}
