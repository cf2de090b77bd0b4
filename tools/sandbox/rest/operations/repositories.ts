import { accountOf, writerOf } from "../../auth/authorize.ts";
import { ZERO_SHA } from "../../git/git-object.ts";
import { legacyPermission, permissionFlags } from "../../world/account.ts";
import type { Activity } from "../../world/activity.ts";
import type { Handlers } from "../operation.ts";
import { notFound } from "../refusal.ts";
import { renderAccount, renderMembership, renderUser } from "../render/account.ts";
import { renderFullRepository } from "../render/repository.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";

export const repositoryOperations = {
  "repos/get": ({ world, urls, caller, repository }) => ({
    status: 200,
    body: renderFullRepository(urls, repository, writerOf(world, caller, repository).role),
  }),

  "repos/get-collaborator-permission-level": ({ world, urls, path, repository }) => {
    const account = world.account(path.username);
    if (account?.type !== "User") throw notFound(`${path.username} is not a user`);
    const role = world.roleIn(repository, account);
    return {
      status: 200,
      body: {
        permission: legacyPermission(role),
        role_name: role,
        user: { ...renderAccount(urls, account), permissions: permissionFlags(role), role_name: role },
      },
    };
  },
} satisfies Handlers;

function renderActivity(urls: Urls, { id, type, ref, before, after, actor, at }: Activity) {
  return {
    id,
    node_id: nodeId("Push", id),
    before: before ?? ZERO_SHA,
    after: after ?? ZERO_SHA,
    ref,
    timestamp: isoTime(at),
    activity_type: type,
    actor: renderAccount(urls, actor),
  };
}

export const activityOperations = {
  "repos/list-activities": ({ urls, repository, query }) => {
    const { ref, actor, activity_type, direction = "desc", per_page = 30 } = query;
    const wanted = repository.activities.filter(
      (one) =>
        (ref === undefined || one.ref === ref || one.ref === `refs/heads/${ref}`) &&
        (actor === undefined || one.actor.login.toLowerCase() === actor.toLowerCase()) &&
        (activity_type === undefined || one.type === activity_type),
    );
    const ordered = direction === "desc" ? wanted.toReversed() : wanted;
    const page = ordered.slice(0, Math.min(Math.max(per_page, 1), 100));
    return { status: 200, body: page.map((one) => renderActivity(urls, one)) };
  },
} satisfies Handlers;

export const userOperations = {
  "users/get-authenticated": ({ urls, caller }) => ({
    status: 200,
    body: { ...renderUser(urls, accountOf(caller)), user_view_type: "public" },
  }),

  "users/get-by-username": ({ world, urls, path }) => {
    const account = world.account(path.username);
    if (account === null) throw notFound();
    return { status: 200, body: { ...renderUser(urls, account), user_view_type: "public" } };
  },

  "orgs/get-membership-for-user": ({ world, urls, path }) => {
    const organisation = world.account(path.org);
    const account = world.account(path.username);
    const membership = account === null ? undefined : organisation?.members?.get(account);
    if (!organisation || !account || !membership) throw notFound();
    return { status: 200, body: renderMembership(urls, organisation, account, membership) };
  },

  "meta/get": () => ({ status: 200, body: { verifiable_password_authentication: false } }),

  "rate-limit/get": ({ rate }) => {
    const core = { limit: rate.limit, used: rate.used, remaining: rate.remaining, reset: rate.reset };
    return { status: 200, body: { resources: { core, search: core }, rate: core } };
  },
} satisfies Handlers;
