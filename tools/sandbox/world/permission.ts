/**
 * Roles of users in a repository, weakest first.
 * https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization
 */
export const roles = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type Role = (typeof roles)[number];

export const hasRole = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
export const strongerRole = (a: Role, b: Role): Role => (hasRole(a, b) ? a : b);

/**
 * Returns one of the four values of `permission` in the collaborator permission operation. Its `role_name` has the exact role.
 */
export function legacyPermission(role: Role): "none" | "read" | "write" | "admin" {
  if (role === "triage") return "read";
  return role === "maintain" ? "write" : role;
}

/** Returns the booleans that GitHub attaches to repositories and collaborators. */
export const permissionFlags = (role: Role) => ({
  admin: hasRole(role, "admin"),
  maintain: hasRole(role, "maintain"),
  push: hasRole(role, "write"),
  triage: hasRole(role, "triage"),
  pull: hasRole(role, "read"),
});
