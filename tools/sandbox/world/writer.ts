import type { Account, App } from "./account.ts";
import type { Role } from "./permission.ts";

/** The actor that changes a ref, with its permissions. An App writes with the role `write`. */
export interface Writer {
  account: Account;
  app: App | null;
  role: Role;
  /** The way of the change: over git, by the REST or GraphQL API, or by an asynchronous merge. */
  via: "git" | "api" | "async";
  /** Whether it may change files below `.github/workflows`. */
  mayChangeWorkflows: boolean;
}
