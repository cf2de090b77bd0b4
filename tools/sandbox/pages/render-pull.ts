import { html } from "ghtml";
import type { FileChange } from "../git/diff.ts";
import { isoTime } from "../rest/urls.ts";
import { latestRuns } from "../world/checks/check.ts";
import type { Comment, PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import { renderMarkdown } from "./render-page.ts";

/** What is in the form that writes a comment. */
interface CommentForm {
  /** The people who may comment, with their roles. */
  readonly people: readonly { readonly login: string; readonly role: string }[];
  readonly token: string;
  readonly chosen: string;
  readonly body: string;
  readonly problem: string | null;
}

/** The page of a pull request. */
export function renderPull(pull: PullRequest, files: readonly FileChange[], form: CommentForm): string {
  return html`<h1>${pull.title} <span class="number">#${pull.number}</span></h1>
<div id="live">
!${renderConversation(pull)}
</div>
!${renderForm(pull, form)}
<h2>Files</h2>
!${renderFiles(files)}`;
}

/** The part of the page that changes by itself. */
export function renderConversation(pull: PullRequest): string {
  const { author, head, base, labels, body, comments, repository } = pull;
  const from = head.repository === repository ? head.ref : `${head.repository.owner.login}:${head.ref}`;
  const named = labels.map(({ name }) => name).join(", ");
  return html`<p>!${renderState(pull)} ${author.login} wants to merge <code>${from}</code> (<a href="/${repository.fullName}/commit/${head.sha}">${head.sha.slice(0, 7)}</a>) into <code>${base.ref}</code></p>
!${named === "" ? "" : html`<p>Labels: ${named}</p>`}
!${body ? `<div class="comment"><div class="text">${renderMarkdown(body)}</div></div>` : ""}
<h2>Conversation</h2>
!${comments.length === 0 ? '<p class="quiet">No comments yet.</p>' : comments.map(renderComment).join("\n")}
<h2>Checks</h2>
!${renderChecks(repository, head.sha)}`;
}

/** The state of a pull request as a badge. */
export function renderState({ state, draft, merged, mergeCommitSha, repository }: PullRequest): string {
  if (merged === null)
    return html`<span class="state ${state}">${state === "open" && draft ? "draft" : state}</span>`;
  const sha = mergeCommitSha ?? "";
  return html`<span class="state merged">merged</span> by ${merged.by.login} as <a href="/${repository.fullName}/commit/${sha}">${sha.slice(0, 7)}</a>:`;
}

function renderComment({ id, author, body, createdAt, updatedAt, reactions }: Comment): string {
  const isEdited = updatedAt.getTime() !== createdAt.getTime();
  const given = reactions.map(({ content, user }) => `${symbols[content]} ${user.login}`).join(", ");
  return html`<div class="comment" id="issuecomment-${id}">
<div class="by"><b>${author.login}</b> <span class="quiet">${isoTime(createdAt)}${isEdited ? ", edited" : ""}</span></div>
<div class="text">!${renderMarkdown(body)}</div>
!${given === "" ? "" : html`<div class="text quiet">${given}</div>`}
</div>`;
}

const symbols: Readonly<Record<Comment["reactions"][number]["content"], string>> = {
  "+1": "👍",
  "-1": "👎",
  laugh: "😄",
  confused: "😕",
  heart: "❤️",
  hooray: "🎉",
  rocket: "🚀",
  eyes: "👀",
};

function renderForm(pull: PullRequest, { people, token, chosen, body, problem }: CommentForm): string {
  const choices = people.map(
    ({ login, role }) =>
      html`<option value="${login}"!${login === chosen ? " selected" : ""}>${login} (${role})</option>`,
  );
  return html`<h2>Comment</h2>
<form method="post" action="/${pull.repository.fullName}/pull/${pull.number}/comments">
!${problem === null ? "" : html`<p class="problem">${problem}</p>`}
<input type="hidden" name="token" value="${token}">
<p><textarea name="body" rows="4" required aria-label="Comment" placeholder="/trainyard merge">${body}</textarea></p>
<p>as <select name="as" aria-label="Author">!${choices.join("")}</select> <button>Comment</button></p>
</form>`;
}

/** The checks and statuses of a commit, as a table. */
export function renderChecks(repository: Repository, sha: string): string {
  const runs = repository.suitesOf(sha).flatMap((suite) =>
    latestRuns(suite).map((run) => ({
      name: run.name,
      state: run.conclusion ?? run.status,
      by: suite.app.name,
      title: run.output.title ?? "",
      link: run.detailsUrl ?? `/${repository.fullName}/runs/${run.id}`,
    })),
  );
  const latest = new Map(repository.statusesOf(sha).map((status) => [status.context, status]));
  const statuses = [...latest.values()].map(({ context, state, creator, description, targetUrl }) => ({
    name: context,
    state,
    by: creator.login,
    title: description ?? "",
    link: targetUrl,
  }));
  const all = [...runs, ...statuses];
  if (all.length === 0) return '<p class="quiet">No check has reported yet.</p>';
  const rows = all.map(
    ({ name, state, by, title, link }) => html`<tr>
<td><span class="state ${state}">${state.replaceAll("_", " ")}</span></td>
<td>!${link === null ? html`${name}` : html`<a href="${safeLink(link)}">${name}</a>`}</td>
<td class="quiet">${by}</td>
<td>${title}</td></tr>`,
  );
  return `<table>${rows.join("\n")}</table>`;
}

/** A program may have reported any text as its address. */
export function safeLink(link: string): string {
  return /^(https?:\/\/|\/)/.test(link) ? link : "#";
}

/** The changed files of a pull request or commit, each with its changed lines. */
export function renderFiles(files: readonly FileChange[]): string {
  if (files.length === 0) return '<p class="quiet">No file differs.</p>';
  return files
    .map(
      ({ path, previousPath, status, additions, deletions, patch }) => html`<details open>
<summary><code>!${previousPath === null ? "" : html`${previousPath} → `}${path}</code> <span class="quiet">${status}</span> <span class="added">+${additions}</span> <span class="removed">−${deletions}</span></summary>
!${patch === null ? "" : `<pre>${patch.split("\n").map(renderLine).join("\n")}</pre>`}
</details>`,
    )
    .join("\n");
}

function renderLine(line: string): string {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "quiet";
  return html`<span class="${kind}">${line}</span>`;
}
