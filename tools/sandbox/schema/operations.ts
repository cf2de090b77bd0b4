import type { Access, Role } from "../world/account.ts";

/**
 * The callers that may use an operation.
 * - `anyone` with a token
 * - `app`: an App by its JWT
 * - `installation`: an installation token
 * - `user`: a user's token
 * - `organisation`: its members, and an installation token of the organisation that has this permission
 * - another object, for a repository's operation: an installation token needs any one of the permissions in `app`; `user` is the
 *   role that a user needs (null = users may not call it).
 */
export type OperationAccess =
  | "anyone"
  | "app"
  | "installation"
  | "user"
  | { organisation: string }
  | { app: (readonly [permission: string, access: Access])[]; user: Role | null };

const repository = (user: Role | null, ...app: `${string}:${Access}`[]): OperationAccess => ({
  user,
  app: app.map((permission) => {
    const [name = "", access] = permission.split(":");
    return [name, access === "write" ? "write" : "read"];
  }),
});

const readContents = repository("read", "contents:read");
const writeContents = repository("write", "contents:write");
const readPulls = repository("read", "pull_requests:read");
const readIssues = repository("read", "issues:read", "pull_requests:read");
const writeIssues = repository("read", "issues:write", "pull_requests:write");
const label = repository("triage", "issues:write", "pull_requests:write");
const readChecks = repository("read", "checks:read");
const writeChecks = repository(null, "checks:write");
const readStatuses = repository("read", "statuses:read");
const readProtection = repository("admin", "administration:read");
const writeAdministration = repository("admin", "administration:write");

/**
 * The operations of GitHub's REST API that the sandbox implements, by GitHub's operation ids, with those who may use them. All
 * others get 501. `scripts/vendor-github-schemas.ts` reduces GitHub's description to these operations.
 * https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
 */
export const operationAccess = {
  "actions/cancel-workflow-run": repository("write", "actions:write"),
  "actions/get-workflow-run": repository("read", "actions:read"),
  "actions/list-workflow-runs-for-repo": repository("read", "actions:read"),
  "actions/re-run-job-for-workflow-run": repository("write", "actions:write"),
  "actions/re-run-workflow": repository("write", "actions:write"),
  "actions/re-run-workflow-failed-jobs": repository("write", "actions:write"),
  "apps/create-installation-access-token": "app",
  "apps/get-authenticated": "app",
  "apps/get-by-slug": "anyone",
  "apps/get-installation": "app",
  "apps/get-repo-installation": "app",
  "apps/get-webhook-config-for-app": "app",
  "apps/get-webhook-delivery": "app",
  "apps/list-installations": "app",
  "apps/list-repos-accessible-to-installation": "installation",
  "apps/list-webhook-deliveries": "app",
  "apps/redeliver-webhook-delivery": "app",
  "checks/create": writeChecks,
  "checks/get": readChecks,
  "checks/get-suite": readChecks,
  "checks/list-annotations": readChecks,
  "checks/list-for-ref": readChecks,
  "checks/list-suites-for-ref": readChecks,
  "checks/rerequest-run": repository("write", "checks:write"),
  "checks/rerequest-suite": repository("write", "checks:write"),
  "checks/update": writeChecks,
  "git/create-blob": writeContents,
  "git/create-commit": writeContents,
  "git/create-ref": writeContents,
  "git/create-tree": writeContents,
  "git/delete-ref": writeContents,
  "git/get-blob": readContents,
  "git/get-commit": readContents,
  "git/get-ref": readContents,
  "git/get-tree": readContents,
  "git/list-matching-refs": readContents,
  "git/update-ref": writeContents,
  "issues/add-labels": label,
  "issues/create": repository("read", "issues:write"),
  "issues/create-comment": writeIssues,
  "issues/delete-comment": writeIssues,
  "issues/get": readIssues,
  "issues/get-comment": readIssues,
  "issues/list-comments": readIssues,
  "issues/list-comments-for-repo": readIssues,
  "issues/list-events": readIssues,
  "issues/list-for-repo": readIssues,
  "issues/list-labels-on-issue": readIssues,
  "issues/remove-label": label,
  "issues/update": writeIssues,
  "issues/update-comment": writeIssues,
  "meta/get": "anyone",
  "orgs/get-membership-for-user": { organisation: "members" },
  "pulls/check-if-merged": repository("read", "contents:read", "pull_requests:read"),
  "pulls/create": repository("read", "pull_requests:write"),
  "pulls/create-review": repository("read", "pull_requests:write"),
  "pulls/dismiss-review": repository("write", "pull_requests:write"),
  "pulls/get": readPulls,
  "pulls/list": readPulls,
  "pulls/list-commits": readPulls,
  "pulls/list-files": readPulls,
  "pulls/list-reviews": readPulls,
  "pulls/get-merge-async-result": readContents,
  "pulls/merge": writeContents,
  "pulls/merge-async": writeContents,
  "pulls/update": repository("read", "pull_requests:write"),
  "pulls/update-branch": repository("write", "pull_requests:write"),
  "rate-limit/get": "anyone",
  "reactions/create-for-issue-comment": writeIssues,
  "reactions/list-for-issue-comment": readIssues,
  "repos/compare-commits-with-basehead": readContents,
  "repos/create-commit-status": repository("write", "statuses:write"),
  "repos/create-repo-ruleset": writeAdministration,
  "repos/delete-repo-ruleset": writeAdministration,
  "repos/get": repository("read", "metadata:read"),
  "repos/get-branch": readContents,
  "repos/get-branch-protection": readProtection,
  "repos/get-branch-rules": repository("read", "metadata:read"),
  "repos/get-repo-ruleset": repository("read", "metadata:read"),
  "repos/get-collaborator-permission-level": repository("read", "metadata:read"),
  "repos/get-combined-status-for-ref": readStatuses,
  "repos/get-commit": readContents,
  "repos/get-content": readContents,
  "repos/get-status-checks-protection": readProtection,
  "repos/list-activities": readContents,
  "repos/list-branches": readContents,
  "repos/list-commit-statuses-for-ref": readStatuses,
  "repos/list-commits": readContents,
  "repos/list-pull-requests-associated-with-commit": readPulls,
  "repos/merge": writeContents,
  "repos/rename-branch": writeContents,
  "users/get-authenticated": "user",
  "users/get-by-username": "anyone",
} as const satisfies Readonly<Record<string, OperationAccess>>;

export type OperationId = keyof typeof operationAccess;

export const operationIds = Object.keys(operationAccess) as OperationId[];

export const isImplemented = (operationId: string): operationId is OperationId =>
  Object.hasOwn(operationAccess, operationId);
