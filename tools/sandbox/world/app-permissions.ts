import { readFileSync } from "node:fs";
import { parse } from "yaml";

export type Access = "read" | "write";
/** The permissions of an App, by the names in its manifest: `contents`, `pull_requests`, … */
export type Permissions = Readonly<Record<string, Access>>;

export const grants = (permissions: Permissions, name: string, access: Access): boolean =>
  permissions[name] === "write" || permissions[name] === access;

const isAccess = (value: unknown): value is Access => value === "read" || value === "write";

/**
 * Reads the permissions and subscribed events of an App's manifest (`app.yml`).
 * @throws if the file lacks one of them
 */
export function readAppManifest(path: string): { name: string; permissions: Permissions; events: string[] } {
  const manifest: unknown = parse(readFileSync(path, "utf8"));
  if (typeof manifest !== "object" || manifest === null) throw new Error(`${path} is no App manifest`);
  const { name, default_permissions, default_events } = manifest as Record<string, unknown>;
  if (typeof default_permissions !== "object" || !Array.isArray(default_events)) {
    throw new Error(`${path} lacks default_permissions or default_events`);
  }
  const permissions: Record<string, Access> = { metadata: "read" };
  for (const [permission, access] of Object.entries(default_permissions ?? {})) {
    if (isAccess(access)) permissions[permission] = access;
  }
  return { name: String(name ?? "app"), permissions, events: default_events.map(String) };
}
