import { html } from "ghtml";
import MarkdownIt from "markdown-it";
import type { FileChange } from "../git/diff.ts";
import type { Commit } from "../git/git-object.ts";
import { isoTime } from "../rest/urls.ts";
import { type CheckRun, latestRuns } from "../world/checks/check.ts";
import type { Comment, PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";

/** Renders a whole page. `body` is HTML that is already escaped. `nonce` is the one of the content security policy. */
export function renderPage(
  { title, repository, script = "" }: { title: string; repository: Repository | null; script?: string },
  body: string,
  nonce: string,
): string {
  const name = repository?.fullName ?? "";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">!${style}</style>
</head>
<body>
<header>Local GitHub · <a href="/${name}">${name}</a></header>
<main>
!${body}
</main>
!${script === "" ? "" : `<script nonce="${nonce}">${script}</script>`}
</body>
</html>`;
}

const style = `
body { margin: 0; color: #1f2328; background: #fff; font: 15px/1.5 system-ui, sans-serif; }
header { padding: 10px 24px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; }
main { max-width: 900px; margin: 0 auto; padding: 16px 24px 64px; }
a { color: #0969da; } code, pre { font: 13px/1.45 ui-monospace, monospace; }
h1 { font-size: 24px; font-weight: 500; } h2 { margin-top: 32px; font-size: 17px; }
.number, .quiet { color: #59636e; }
.state { padding: 3px 10px; border-radius: 999px; color: #fff; background: #59636e; font-size: 13px; }
.open, .success { background: #1a7f37; } .merged { background: #8250df; } .closed, .failure { background: #cf222e; }
.comment { margin: 14px 0; border: 1px solid #d1d9e0; border-radius: 6px; }
.comment > .by { padding: 6px 14px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; }
.comment > .text { padding: 2px 14px; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; } td, th { padding: 5px 10px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid #eaeef2; }
pre { padding: 10px; overflow-x: auto; background: #f6f8fa; border-radius: 6px; }
.added { color: #116329; } .removed { color: #a0111f; }
textarea { box-sizing: border-box; width: 100%; padding: 8px; font: 14px/1.5 ui-monospace, monospace; }
button, select { padding: 5px 12px; font: inherit; } button { color: #fff; background: #1a7f37; border: 0; border-radius: 6px; }
.problem { color: #a0111f; }
`;

// HTML in comments is shown as text, because anyone may have written it.
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true });

/** Returns the HTML of a comment. Comments of HTML, which carry marks of programs, are left out, as on GitHub. */
export function renderMarkdown(text: string): string {
  return markdown.render(text.replaceAll(/<!--[\s\S]*?-->/g, ""));
}

/** The list of a repository's pull requests, newest first. */
export function renderPulls({ pulls, fullName }: Repository): string {
  const rows = [...pulls.values()].reverse().map(
    (pull) => html`<tr><td>#${pull.number}</td>
<td><a href="/${fullName}/pull/${pull.number}">${pull.title}</a></td><td class="quiet">${pull.author.login}</td>
<td>!${renderState(pull)}</td></tr>`,
  );
  const list =
    rows.length === 0 ? '<p class="quiet">No pull requests yet.</p>' : `<table>${rows.join("\n")}</table>`;
  return `<h1>Pull requests</h1>\n${list}`;
}

export function renderCommit(
  repository: Repository,
  { sha, message, author, parents, tree }: Commit,
  files: readonly FileChange[],
): string {
  const links = parents.map(
    (parent) => html`<a href="/${repository.fullName}/commit/${parent}">${parent.slice(0, 7)}</a>`,
  );
  return html`<h1>${message.split("\n")[0] ?? ""}</h1>
<p>Commit <code>${sha}</code> by ${author.name}, parents: !${links.join(", ") || "none"}, tree <code>${tree.slice(0, 7)}</code></p>
<pre>${message}</pre>
<h2>Checks</h2>
!${renderChecks(repository, sha)}
<h2>Files</h2>
!${renderFiles(files)}`;
}

/** The page of a check run, with what its App reported. */
export function renderCheck({ fullName }: Repository, run: CheckRun): string {
  const { name, status, conclusion, suite, output, detailsUrl } = run;
  const state = conclusion ?? status;
  const isCurrent = latestRuns(suite).includes(run);
  return html`<h1>${name} <span class="state ${state}">${state.replaceAll("_", " ")}</span></h1>
<p>By ${suite.app.name} on <a href="/${fullName}/commit/${suite.headSha}">${suite.headSha.slice(0, 7)}</a>${isCurrent ? "" : ". A later run has replaced it."}</p>
!${detailsUrl === null ? "" : html`<p><a href="${safeLink(detailsUrl)}">Details</a></p>`}
!${output.title === null ? "" : html`<h2>${output.title}</h2>`}
!${renderMarkdown(output.summary ?? "")}
!${renderMarkdown(output.text ?? "")}`;
}

/** What is in the form that writes a comment. */
interface CommentForm {
  /** The people who may comment, with their roles. */
  readonly people: readonly { readonly login: string; readonly role: string }[];
  readonly token: string;
  readonly chosen: string;
  readonly body: string;
  readonly problem: string | null;
}

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
