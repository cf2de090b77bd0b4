import { accountOf } from "../../auth/caller.ts";
import type { Handlers } from "../operation.ts";
import { notFound } from "../refusal.ts";
import { renderUser } from "../render/account.ts";

type UserOperation = "users/get-authenticated" | "users/get-by-username" | "meta/get" | "rate-limit/get";

export const userOperations: Handlers<UserOperation> = {
  "users/get-authenticated": ({ urls, caller }) => ({
    status: 200,
    body: { ...renderUser(urls, accountOf(caller)), user_view_type: "public" },
  }),

  "users/get-by-username": ({ world, urls, path }) => {
    const account = world.account(path.username);
    if (account === null) throw notFound();
    return { status: 200, body: { ...renderUser(urls, account), user_view_type: "public" } };
  },

  "meta/get": () => ({ status: 200, body: { verifiable_password_authentication: false } }),

  "rate-limit/get": ({ rate }) => {
    const core = { limit: rate.limit, used: rate.used, remaining: rate.remaining, reset: rate.reset };
    return { status: 200, body: { resources: { core, search: core }, rate: core } };
  },
};
