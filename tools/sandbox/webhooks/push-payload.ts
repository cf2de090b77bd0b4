import { type Commit, ZERO_SHA } from "../git/git-object.ts";
import { changedPaths } from "../git/tree-files.ts";
import { renderAccount } from "../rest/render/account.ts";
import { isoTime, type Urls } from "../rest/urls.ts";
import { signatureOf } from "../world/account.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { WorldEvent } from "../world/world-event.ts";
import { type Payload, renderContext } from "./payloads.ts";

type Push = Extract<WorldEvent, { type: "push" }>;

/**
 * GitHub's maximum number of commits in a push payload.
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads#push
 */
const MAX_COMMITS = 2048;

async function renderPushedCommit(urls: Urls, repository: Repository, commit: Commit) {
  const [firstParent] = commit.parents;
  const parent = firstParent === undefined ? null : await repository.git.commit(firstParent);
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message.trimEnd(),
    timestamp: isoTime(commit.committer.date),
    url: `${urls.html(repository)}/commit/${commit.sha}`,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
    ...(await changedPaths(repository.git, parent?.tree ?? null, commit.tree)),
  };
}

/** Push payloads have their own form of a repository, with times in seconds. */
function renderPushedRepository(urls: Urls, repository: Repository) {
  const { login, id } = repository.owner;
  const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
  return {
    ...renderContext(urls, repository, repository.owner).repository,
    owner: { ...renderAccount(urls, repository.owner), name: login, email: `${id}@users.noreply.github.com` },
    url: urls.html(repository),
    created_at: seconds(repository.createdAt),
    pushed_at: seconds(repository.pushedAt),
    stargazers: 0,
    master_branch: repository.defaultBranch,
  };
}

export async function buildPush(world: World, urls: Urls, event: Push): Promise<Payload> {
  const { repository, sender, ref, before, after, forced } = event;
  const isBranch = ref.startsWith("refs/heads/");
  const known = before ?? repository.branch(repository.defaultBranch);
  const range =
    after === null || !isBranch
      ? []
      : await repository.git.graph.range(known === after ? null : known, after);
  const pushed = known === after ? [] : range.slice(0, MAX_COMMITS).reverse();
  const tip = after === null ? null : await repository.git.commit(after);
  const html = urls.html(repository);
  const payload = {
    ref,
    before: before ?? ZERO_SHA,
    after: after ?? ZERO_SHA,
    created: before === null,
    deleted: after === null,
    forced,
    base_ref: null,
    compare: `${html}/compare/${(before ?? ZERO_SHA).slice(0, 12)}...${(after ?? ZERO_SHA).slice(0, 12)}`,
    commits: await Promise.all(pushed.map((commit) => renderPushedCommit(urls, repository, commit))),
    head_commit: tip === null ? null : await renderPushedCommit(urls, repository, tip),
    pusher: { name: sender.login, email: signatureOf(sender, world.now()).email },
    ...renderContext(urls, repository, sender),
    repository: renderPushedRepository(urls, repository),
  };
  return { event: "push", action: null, repository, payload };
}

/** Builds the events `create` and `delete`, which accompany a push that creates or deletes a ref. */
export function buildRefLife(urls: Urls, event: Push): Payload[] {
  const { repository, sender, ref, before, after } = event;
  if (before !== null && after !== null) return [];
  const shared = {
    ref: ref.replace(/^refs\/(heads|tags)\//, ""),
    ref_type: ref.startsWith("refs/tags/") ? "tag" : "branch",
    pusher_type: "user",
    ...renderContext(urls, repository, sender),
  };
  if (after === null) return [{ event: "delete", action: null, repository, payload: shared }];
  const payload = { ...shared, master_branch: repository.defaultBranch, description: null };
  return [{ event: "create", action: null, repository, payload }];
}
