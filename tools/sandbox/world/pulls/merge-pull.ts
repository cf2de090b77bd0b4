import type { Commit, Signature } from "../../git/git-object.ts";
import type { GitRepository } from "../../git/git-repository.ts";
import { mergeTrees, replay } from "../../git/merge-trees.ts";
import { signatureOf, webFlow } from "../account.ts";
import type { MergeMethod } from "../repository.ts";
import { refusalOfMerge, refusalOfMergedCommit, type Writer } from "../rules/branch-rules.ts";
import type { World } from "../world.ts";
import { type RefRefusal, refusalMessage, writeRef } from "../write-ref.ts";
import { isOpen, type PullRequest } from "./pull-request.ts";
import { isLowest, moveStackDown, stackOf } from "./stack.ts";

export interface MergeRequest {
  method: MergeMethod;
  /** The head SHA that the caller expects; null = any. */
  sha: string | null;
  title: string | null;
  message: string | null;
}

/**
 * The outcome of a merge.
 * - `merged`: `sha` is the new tip of the base.
 * - `head_moved`: the head is not the expected one.
 * - `refused`: the message is GitHub's reason.
 * - `denied`: the same, for a missing permission.
 */
export type MergeOutcome =
  | { outcome: "merged"; sha: string }
  | { outcome: "head_moved" }
  | { outcome: "refused" | "denied"; message: string };

const NOT_ALLOWED: Record<MergeMethod, string> = {
  merge: "Merge commits are not allowed on this repository.",
  squash: "Squash merges are not allowed on this repository.",
  rebase: "Rebase merges are not allowed on this repository.",
};

const STACKED =
  "This pull request is part of a stack and must be merged using the asynchronous merge REST API.";

const HOOK_FAILED = "Could not merge because a Git pre-receive hook failed.";

const refused = (message: string): MergeOutcome => ({ outcome: "refused", message });

const refusedBy = (refusal: RefRefusal): MergeOutcome => ({
  outcome: refusal.by === "permission" ? "denied" : "refused",
  message: refusalMessage(refusal),
});

/**
 * Merges a pull request as GitHub's merge button does. If another merge into the base happens at the same time, the later one is
 * refused because the base was modified.
 */
export async function mergePull(
  world: World,
  pull: PullRequest,
  writer: Writer,
  request: MergeRequest,
): Promise<MergeOutcome> {
  const { repository } = pull;
  const base = repository.branch(pull.base.ref);
  if (!isOpen(pull) || base === null) return refused("Pull Request is not mergeable");
  if (request.sha !== null && request.sha !== pull.head.sha) return { outcome: "head_moved" };
  if (pull.draft) return refused("Pull Request is still a draft");
  if (stackOf(pull) !== null && writer.via !== "async") return refused(STACKED);
  if (!isLowest(pull)) return refused("The sandbox merges only the lowest pull request of a stack.");
  if (!repository.mergeMethods.includes(request.method)) return refused(NOT_ALLOWED[request.method]);
  const refusal = await refusalOfMerge(pull, writer, request.method);
  if (refusal !== null) return refusedBy(refusal);

  const head = pull.head.sha;
  const sha = await buildMerge(world, pull, base, writer, request);
  if (sha === null) {
    return refused(
      request.method === "rebase" ? "This branch can't be rebased" : "Pull Request is not mergeable",
    );
  }
  const merge = { method: request.method, before: base, after: sha };
  const refusalOfResult = await refusalOfMergedCommit(pull, writer, merge);
  if (refusalOfResult !== null) return refusedBy(refusalOfResult);
  const { preReceiveHook } = repository;
  if (preReceiveHook !== null) return refused(`${HOOK_FAILED}\n\n${preReceiveHook}`);
  if (pull.head.sha !== head) return { outcome: "head_moved" };
  const ref = `refs/heads/${pull.base.ref}`;
  const written = await writeRef(world, repository, { ref, before: base, after: sha, writer, merging: pull });
  switch (written.outcome) {
    case "written":
      await moveStackDown(world, pull, writer.account);
      return { outcome: "merged", sha };
    case "refused":
      return refusedBy(written.refusal);
    default:
      return refused("Base branch was modified. Review and try the merge again.");
  }
}

/** Writes the commits of the merge. Returns the new tip, or null if there is a conflict or nothing to merge. */
async function buildMerge(
  world: World,
  pull: PullRequest,
  base: string,
  writer: Writer,
  request: MergeRequest,
): Promise<string | null> {
  const { git } = pull.repository;
  const head = pull.head.sha;
  const now = world.now();
  if (request.method === "rebase") return rebase(git, base, head, signatureOf(writer.account, now));
  const tree = await mergeTrees(git, base, head);
  if (tree === null) return null;
  const commits = (await git.graph.range(base, head)).reverse();
  const isSquash = request.method === "squash";
  const fallback = isSquash ? defaultSquashMessage(pull, commits) : defaultMergeMessage(pull);
  const title = request.title ?? fallback.title;
  const body = request.message ?? fallback.body;
  return git.writeCommit({
    tree,
    parents: isSquash ? [base] : [base, head],
    author: signatureOf(isSquash ? pull.author : writer.account, now),
    committer: webFlow(now),
    message: body === "" ? title : `${title}\n\n${body}`,
  });
}

interface MergeMessage {
  title: string;
  body: string;
}

function splitMessage(message: string): MergeMessage {
  const [title = "", ...rest] = message.trimEnd().split("\n");
  return { title, body: rest.join("\n").trim() };
}

function defaultMergeMessage(pull: PullRequest): MergeMessage {
  const { merge_commit_title: title, merge_commit_message: message } = pull.repository.messages;
  return {
    title:
      title === "PR_TITLE"
        ? `${pull.title} (#${pull.number})`
        : `Merge pull request #${pull.number} from ${pull.head.repository.owner.login}/${pull.head.ref}`,
    body: message === "PR_BODY" ? (pull.body ?? "") : message === "BLANK" ? "" : pull.title,
  };
}

/**
 * Builds GitHub's default message of a squash. A single commit provides the message. The messages of several commits are listed
 * below the pull request's title. The other authors follow below a line.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#merge-message-for-a-squash-merge
 *
 * @param commits oldest first
 */
function defaultSquashMessage(pull: PullRequest, commits: readonly Commit[]): MergeMessage {
  const messages = commits.map((commit) => splitMessage(commit.message));
  const [only] = messages;
  const others = coAuthors(pull, commits);
  const { squash_merge_commit_title, squash_merge_commit_message } = pull.repository.messages;
  const own = squash_merge_commit_title === "PR_TITLE" || messages.length !== 1 ? pull.title : only?.title;
  const title = `${own} (#${pull.number})`;
  if (squash_merge_commit_message !== "COMMIT_MESSAGES") {
    const body = squash_merge_commit_message === "PR_BODY" ? (pull.body ?? "") : "";
    return { title, body: withTrailers(body, others) };
  }
  if (only !== undefined && messages.length === 1) {
    return { title, body: withTrailers(only.body, others) };
  }
  const items = messages.map(({ title, body }) => (body === "" ? `* ${title}` : `* ${title}\n\n${body}`));
  return { title, body: withTrailers(items.join("\n\n"), others) };
}

/** Returns the commits' authors except the pull request's author, who is recognised by name or address. */
function coAuthors({ author }: PullRequest, commits: readonly Commit[]): string[] {
  const own = signatureOf(author, new Date(0));
  const others = commits.flatMap(({ author: { name, email } }) =>
    name === own.name || email === own.email ? [] : `Co-authored-by: ${name} <${email}>`,
  );
  return [...new Set(others)];
}

function withTrailers(body: string, trailers: readonly string[]): string {
  if (trailers.length === 0) return body;
  return body === "" ? trailers.join("\n") : `${body}\n\n---------\n\n${trailers.join("\n")}`;
}

/** https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits#rebase-limits */
const MAX_COMMITS = 100;

/**
 * Writes the commits of a rebase and returns the new tip. Returns null where GitHub refuses it: a commit conflicts, there are too
 * many commits, none of them remains, or the result differs from that of a merge.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#rebase-and-merge-your-commits
 */
export async function rebase(
  git: GitRepository,
  base: string,
  head: string,
  committer: Signature,
): Promise<string | null> {
  const commits = (await git.graph.range(base, head)).reverse();
  const onto = await git.commit(base);
  if (onto === null || commits.length > MAX_COMMITS) return null;
  const tip = await replay(git, onto, commits, committer);
  if (tip === null || tip.sha === base) return null;
  return tip.tree === (await mergeTrees(git, base, head)) ? tip.sha : null;
}

/** Whether GitHub would rebase a head that merges without conflicts. */
export async function isRebaseable(git: GitRepository, base: string, head: string): Promise<boolean> {
  const commits = await git.graph.range(base, head);
  // For a single commit, a rebase gives the same result as a merge.
  if (commits.length === 1 && commits[0]?.parents.length === 1) return true;
  const [last] = commits;
  return last !== undefined && (await rebase(git, base, head, last.committer)) !== null;
}
