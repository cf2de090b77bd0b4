import { type Caller, canSee } from "../auth/authorize.ts";
import { isSha } from "../git/git-object.ts";
import { apiDescription, type RouteTree } from "../schema/api-description.ts";
import { comesFrom } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";

interface Route {
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

const BY_ID = /^\/repositories\/(\d+)(?=\/|$)/;
const BY_NAME = /^\/repos\/[^/]+\/[^/]+/;
const BY_BRANCH = /^(\/repos\/[^/]+\/[^/]+)\/branches\/[^/]+/;

/**
 * Converts a path that names a repository by its id, as GitHub's redirects do, to the path by owner and name. Null for another
 * path.
 */
export function pathById(world: World, pathname: string): string | null {
  const [, id] = BY_ID.exec(pathname) ?? [];
  const repository = id === undefined ? null : world.repositoryById(Number(id));
  return repository && pathname.replace(BY_ID, `/repos/${repository.fullName}`);
}

/**
 * Returns a function that converts the path of a request to the new name of a renamed repository or branch. Null when the request
 * does not use a former name.
 */
export function newAddress(
  world: World,
  caller: Caller,
  { path, operationId }: Route,
): ((pathname: string) => string) | null {
  const { owner, repo, branch } = path;
  if (owner === undefined || repo === undefined) return null;
  const former = world.formerly(owner, repo);
  if (former !== null && mayKnow(world, caller, former))
    return (pathname) => pathname.replace(BY_NAME, `/repositories/${former.id}`);
  const repository = world.repository(owner, repo);
  const renamed = branch === undefined ? undefined : repository?.renamedBranches.get(branch);
  if (renamed === undefined || operationId === "repos/get-branch-rules" || !repository) return null;
  if (!mayKnow(world, caller, repository)) return null;
  return (pathname) => pathname.replace(BY_BRANCH, `$1/branches/${encodeURIComponent(renamed)}`);
}

function mayKnow(world: World, caller: Caller, repository: Repository): boolean {
  if (caller.kind !== "app") return canSee(world, caller, repository);
  return world.installationOf(caller.app, repository.owner) !== null;
}

interface Request {
  path: Record<string, unknown>;
  body: unknown;
}

/** Fields in which a request may name a branch or a commit. */
const PATH_KEYS = ["ref", "branch", "basehead", "sha", "commit_sha"];
const BODY_KEYS = ["ref", "base", "head", "head_sha", "sha", "parents"];

/**
 * Returns the number of the pull request that a request is about, or null if that is unknown. Call this before the request takes
 * effect.
 */
export function inferPull(repository: Repository, { path, body }: Request): number | null {
  const number = path.pull_number ?? path.issue_number;
  if (typeof number === "number") return number;
  if (typeof path.comment_id === "number")
    return repository.comments.get(path.comment_id)?.pull.number ?? null;
  if (typeof path.check_run_id === "number") return pullOfCheckRun(repository, path.check_run_id);
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const mentions = [...PATH_KEYS.map((key) => path[key]), ...BODY_KEYS.map((key) => fields[key])]
    .flat()
    .filter((value) => typeof value === "string")
    .flatMap((value) => value.split("..."));
  for (const pullOf of [pullOfBranch, pullOfCommit]) {
    for (const mention of mentions) {
      const found = pullOf(repository, mention);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Trainyard names the branches of a pull request after it: `…/pr-12/…`. */
function pullOfBranch(repository: Repository, name: string): number | null {
  const number = Number(/(?:^|[/-])pr-(\d+)(?!\d)/.exec(name)?.[1]);
  if (repository.pulls.has(number)) return number;
  const branch = name.replace(/^(refs\/)?heads\//, "");
  return repository.openPulls((pull) => comesFrom(pull, repository, branch))[0]?.number ?? null;
}

function pullOfCommit(repository: Repository, sha: string): number | null {
  if (!isSha(sha)) return null;
  for (const ref of repository.git.refs.pointingAt(sha, "refs/heads/")) {
    const number = pullOfBranch(repository, ref);
    if (number !== null) return number;
  }
  return [...repository.pulls.values()].find(({ head }) => head.sha === sha)?.number ?? null;
}

function pullOfCheckRun(repository: Repository, id: number): number | null {
  const run = repository.runs.get(id);
  return run === undefined ? null : pullOfCommit(repository, run.suite.headSha);
}
