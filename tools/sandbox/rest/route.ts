import { apiDescription, type RouteTree } from "../schema/api-description.ts";

export interface Route {
  /** GitHub's operation id, whether the sandbox implements it or not. */
  operationId: string;
  path: Record<string, string>;
}

/** Parameters whose value may contain slashes. GitHub accepts these raw or encoded. */
const SPANNING = new Set(["{ref}", "{branch}", "{path}", "{basehead}"]);

/** Finds the operation of GitHub's API for a path (without `/api/v3`). Returns null if GitHub has none. */
export function findRoute(method: string, pathname: string): Route | null {
  const segments: string[] = [];
  for (const segment of pathname.replace(/\/$/, "").split("/").slice(1)) {
    try {
      segments.push(decodeURIComponent(segment));
    } catch {
      return null;
    }
  }
  return match(apiDescription().routes, method, segments, {});
}

function match(
  tree: RouteTree,
  method: string,
  segments: string[],
  path: Record<string, string>,
): Route | null {
  const [segment] = segments;
  if (segment === undefined) {
    const operationId = tree[method];
    if (typeof operationId === "string") return { operationId, path };
    // The root directory of a repository has an empty path, which callers omit together with its slash.
    const below = tree["{path}"];
    return typeof below === "object" ? match(below, method, [], { ...path, path: "" }) : null;
  }
  const literal = Object.hasOwn(tree, segment) ? tree[segment] : undefined;
  if (typeof literal === "object") {
    const found = match(literal, method, segments.slice(1), path);
    if (found !== null) return found;
  }
  for (const [key, below] of Object.entries(tree)) {
    if (!key.startsWith("{") || typeof below === "string") continue;
    const longest = SPANNING.has(key) ? segments.length : 1;
    for (let length = 1; length <= longest; length += 1) {
      const value = segments.slice(0, length).join("/");
      if (value === "") continue;
      const found = match(below, method, segments.slice(length), { ...path, [key.slice(1, -1)]: value });
      if (found !== null) return found;
    }
  }
  return null;
}
