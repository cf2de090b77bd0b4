import type { Commit } from "../git/git-object.ts";
import type { PullRequest } from "./pull-request.ts";

export interface MergeMessage {
  title: string;
  body: string;
}

export function splitMessage(message: string): MergeMessage {
  const [title = "", ...rest] = message.trimEnd().split("\n");
  return { title, body: rest.join("\n").trim() };
}

export const defaultMergeMessage = (pull: PullRequest): MergeMessage => ({
  title: `Merge pull request #${pull.number} from ${pull.head.repository.owner.login}/${pull.head.ref}`,
  body: pull.title,
});

/**
 * One commit lends its message; several are listed below the pull request's title.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#merge-message-for-a-squash-merge
 *
 * @param commits oldest first
 */
export function defaultSquashMessage(pull: PullRequest, commits: readonly Commit[]): MergeMessage {
  const messages = commits.map((commit) => splitMessage(commit.message));
  const [only] = messages;
  if (only !== undefined && messages.length === 1) {
    return { title: `${only.title} (#${pull.number})`, body: only.body };
  }
  const items = messages.map(({ title, body }) => (body === "" ? `* ${title}` : `* ${title}\n\n${body}`));
  return { title: `${pull.title} (#${pull.number})`, body: items.join("\n\n") };
}
