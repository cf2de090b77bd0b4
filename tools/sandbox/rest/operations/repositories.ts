import { writerOf } from "../../auth/caller.ts";
import { legacyPermission, permissionFlags } from "../../world/permission.ts";
import type { Handlers } from "../operation.ts";
import { notFound } from "../refusal.ts";
import { renderAccount } from "../render/account.ts";
import { renderFullRepository } from "../render/repository.ts";

type RepositoryOperation = "repos/get" | "repos/get-collaborator-permission-level";

export const repositoryOperations: Handlers<RepositoryOperation> = {
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
};
