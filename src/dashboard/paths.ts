import type { RepositoryRef } from "../engine/model/queue.ts";
import type { QueueAddress } from "../service/runtime/directory.ts";
import type { Span } from "./past/past-window.ts";

/** The first page: all queues. */
export const overviewPath = "/";
export const overviewLivePath = "/live";
export const appPath = "/app";

/** The sign-in page. `next` in its query is the page that follows. */
export const loginPath = "/login";
/** The page on which people allow a command line to act for them. */
export const commandLinePath = "/login/cli";
/** Where people see and end their own sign-ins. */
export const ownSignInsPath = "/login/own";
/** Leads to GitHub, which sends the browser back to `callbackPath`. The App's settings on GitHub have to list that one. */
export const signInPath = "/auth/github";
export const callbackPath = "/auth/github/callback";

const origin = "http://here.invalid";

/** Returns a path of this site with its query; `/` for everything else, such as the address of another site. */
export function ownPath(path: unknown): string {
  if (typeof path !== "string" || !path.startsWith("/")) return "/";
  try {
    // The parser also treats `//host` and `/\\host` as other sites.
    const url = new URL(path, origin);
    return url.origin === origin && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}` : "/";
  } catch {
    return "/";
  }
}

export function queuePath({ repo, branch }: QueueAddress): string {
  return `/queues/${[repo.host, repo.owner, repo.name, branch].map(encodeURIComponent).join("/")}`;
}

export function historyPath(queue: QueueAddress): string {
  return `${queuePath(queue)}/history`;
}

export function healthPath(queue: QueueAddress): string {
  return `${queuePath(queue)}/health`;
}

/** Returns the path of the page that replays a queue with other settings. */
export function whatIfPath(queue: QueueAddress): string {
  return `${queuePath(queue)}/what-if`;
}

/** Returns the path of the page with a queue's past. Without `at`, the page shows the present. Times are in milliseconds since the epoch. */
export function pastPath(
  queue: QueueAddress,
  query: { readonly at?: number; readonly span?: Span; readonly end?: number; readonly from?: number } = {},
): string {
  const { at, ...rest } = query;
  const given = Object.entries(rest).map(([name, value]) => `&${name}=${value}`);
  return `${queuePath(queue)}/past${at === undefined ? "" : `?at=${new Date(at).toISOString()}${given.join("")}`}`;
}

export function pullRequestPath(queue: QueueAddress, number: number): string {
  return `${queuePath(queue)}/pulls/${number}`;
}

export function testPath(repo: RepositoryRef, id: string): string {
  return `${testsPath(repo)}/${encodeURIComponent(id)}`;
}

export function testsPath({ host, owner, name }: RepositoryRef): string {
  return `/tests/${[host, owner, name].map(encodeURIComponent).join("/")}`;
}

/** Returns the path of the page with an organisation's webhooks, or with one of them. */
export function webhooksPath(organisation: string, id?: string): string {
  return `/webhooks/${[organisation, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join("/")}`;
}

export function tokensPath(organisation: string): string {
  return `/tokens/${encodeURIComponent(organisation)}`;
}

/** Returns the path of a repository's audit log, with the filters and the place in it that are given. */
export function auditPath(
  { host, owner, name }: RepositoryRef,
  query: { readonly action?: string | null; readonly actor?: string | null; readonly cursor?: string } = {},
): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  return `/audit/${[host, owner, name].map(encodeURIComponent).join("/")}${search}`;
}
