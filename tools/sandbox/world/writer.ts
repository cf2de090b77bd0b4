import type { Account, App } from "./account.ts";
import type { Role } from "./permission.ts";

/** Who changes a ref, and with what authority. An App writes with the role `write`. */
export interface Writer {
  account: Account;
  app: App | null;
  role: Role;
  /** Over git, by the REST and GraphQL APIs, or by a merge that was requested and runs later. */
  via: "git" | "api" | "async";
  /** Whether files below `.github/workflows` may change. */
  mayChangeWorkflows: boolean;
}
