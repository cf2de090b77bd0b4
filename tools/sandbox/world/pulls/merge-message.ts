import type { Commit } from "../../git/git-object.ts";
import { signatureOf } from "../account.ts";
import type { PullRequest } from "./pull-request.ts";

export interface MergeMessage {
  title: string;
  body: string;
}

export function splitMessage(message: string): MergeMessage {
  const [title = "", ...rest] = message.trimEnd().split("\n");
  return { title, body: rest.join("\n").trim() };
}

export function defaultMergeMessage(pull: PullRequest): MergeMessage {
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
export function defaultSquashMessage(pull: PullRequest, commits: readonly Commit[]): MergeMessage {
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
