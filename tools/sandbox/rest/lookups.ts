import { type Commit, isSha } from "../git/git-object.ts";
import { runGit } from "../git/run-git.ts";
import type { PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import { notFound, Refusal } from "./refusal.ts";

/**
 * Returns the pull request with this number, which is also its issue number.
 * @throws a refusal if it does not exist
 */
export function pullOrRefuse(repository: Repository, number: number): PullRequest {
  const pull = repository.pulls.get(number);
  if (pull === undefined) throw notFound();
  return pull;
}

/** @throws a 403 refusal for a private repository whose plan does not include rules */
export function checkPlan({ plan }: Repository): void {
  if (plan === "free")
    throw new Refusal(403, "Upgrade to GitHub Pro or make this repository public to enable this feature.");
}

/** Prefixes that callers may omit from a ref, in git's order of preference. */
const prefixes = ["", "refs/", "refs/heads/", "refs/tags/"];

/** @param text a full or short commit id, a branch, a tag, or a ref such as `heads/main` or `pull/1/head` */
export async function resolveCommit(repository: Repository, text: string): Promise<Commit | null> {
  const { git } = repository;
  if (isSha(text)) return git.commit(text);
  for (const prefix of prefixes) {
    const sha = git.refs.get(`${prefix}${text}`);
    if (sha !== null) return git.commit(sha);
  }
  if (!/^[0-9a-f]{7,39}$/.test(text)) return null;
  const { exitCode, stdout } = await runGit(git.directory, [
    "rev-parse",
    "--verify",
    "--quiet",
    `${text}^{commit}`,
  ]);
  return exitCode === 0 ? git.commit(stdout.toString().trim()) : null;
}

/** Like {@link resolveCommit}, but throws GitHub's refusal if the commit does not exist. */
export async function commitOrRefuse(repository: Repository, text: string): Promise<Commit> {
  const commit = await resolveCommit(repository, text);
  if (commit === null) throw new Refusal(422, `No commit found for SHA: ${text}`);
  return commit;
}

const DEFAULT_PAGE_SIZE = 30;
const LARGEST_PAGE_SIZE = 100;

/**
 * Returns one page of a list, and the `Link` header to the other pages.
 * https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
 */
export function paginate<T>(
  { url, query }: { url: URL; query: { per_page?: number | undefined; page?: number | undefined } },
  items: readonly T[],
): { page: T[]; headers: Record<string, string> } {
  const size = Math.min(Math.max(query.per_page ?? DEFAULT_PAGE_SIZE, 1), LARGEST_PAGE_SIZE);
  const number = Math.max(query.page ?? 1, 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const links: [rel: string, page: number][] = [];
  if (number > 1) links.push(["prev", Math.min(number - 1, last)], ["first", 1]);
  if (number < last) links.push(["next", number + 1], ["last", last]);
  const link = links.map(([rel, page]) => {
    const target = new URL(url);
    target.searchParams.set("page", String(page));
    return `<${target}>; rel="${rel}"`;
  });
  return {
    page: items.slice((number - 1) * size, number * size),
    headers: link.length === 0 ? {} : { link: link.join(", ") },
  };
}

/** Answers a request for a list with one page of it. */
export function answerPage<Item, Shown>(
  call: Parameters<typeof paginate>[0],
  items: readonly Item[],
  render: (item: Item) => Shown,
) {
  const { page, headers } = paginate(call, items);
  return { status: 200 as const, body: page.map(render), headers };
}
