import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";

/** A request for a page for people. */
export type PageRequest = { readonly repository: Repository } & (
  | { readonly page: "pulls" }
  | { readonly page: "pull" | "conversation" | "comment"; readonly number: number }
  | { readonly page: "commit"; readonly sha: string }
  | { readonly page: "check"; readonly id: number }
);

const path =
  /^\/([^/]+)\/([^/]+)(?:\/(pulls|pull|commit|runs)(?:\/([0-9a-f]+)(?:\/(conversation|comments))?)?)?\/?$/;

/** Parses a request for a page. Returns null for any other request, and for unknown repositories. */
export function parsePageRequest(method: string, pathname: string, world: World): PageRequest | null {
  const [, owner = "", name = "", kind = "pulls", id, part] = path.exec(pathname) ?? [];
  const repository = world.repository(owner, name);
  if (repository === null) return null;
  const number = Number(id);
  if (method === "POST")
    return kind === "pull" && part === "comments" ? { repository, page: "comment", number } : null;
  if (method !== "GET" || part === "comments") return null;
  if (id === undefined) return kind === "pulls" ? { repository, page: "pulls" } : null;
  if (kind === "pull" && part === "conversation") return { repository, page: "conversation", number };
  if (part !== undefined) return null;
  if (kind === "pull") return { repository, page: "pull", number };
  if (kind === "commit") return { repository, page: "commit", sha: id };
  return kind === "runs" ? { repository, page: "check", id: number } : null;
}
