import { fillTemplate, placeholdersIn } from "../command/commit-template.ts";
import { squashTrailers } from "../command/commit-trailers.ts";
import type { RepositoryFile } from "../command/repository-file.ts";
import type { Entry } from "../engine/entry.ts";
import type { MergeMethod } from "../engine/settings.ts";
import type { CommitMessage } from "../engine/test-run.ts";
import type { CodeHost, InstalledRepository } from "../ports/code-host.ts";
import type { PullRequestText } from "../ports/pull-request-text.ts";
import type { RepositoryFiles } from "./repository-files.ts";

/** GitHub documents no limits; git's own tools show the first line. */
const longestTitle = 250;
const longestBody = 20_000;

const noText: PullRequestText = { body: "", commits: [] };

/** Fills the templates of `.github/trainyard.yml` for the commits that pull requests merge as. */
export class CommitMessages {
  readonly #codeHost: Pick<CodeHost, "readPullRequestText">;
  readonly #files: RepositoryFiles;

  constructor(codeHost: Pick<CodeHost, "readPullRequestText">, files: RepositoryFiles) {
    this.#codeHost = codeHost;
    this.#files = files;
  }

  /** What a pull request's commit says; null: GitHub's default. A file with faults says nothing. */
  async of(repo: InstalledRepository, entry: Entry, method: MergeMethod): Promise<CommitMessage | null> {
    if (method === "rebase") return null;
    const parsed = await this.#files.read(repo, entry.baseBranch);
    if (!parsed.ok) return null;
    const { commitTitle, commitMessage } = parsed.file;
    if (commitTitle === undefined && commitMessage === undefined) return null;
    const text = needsText(parsed.file, method)
      ? await this.#codeHost.readPullRequestText(repo, entry.pr)
      : noText;
    return fill(parsed.file, method, entry, text);
  }
}

function needsText({ commitTitle = "", commitMessage }: RepositoryFile, method: MergeMethod): boolean {
  // Of a message that is given, GitHub does not add the authors.
  if (commitMessage !== undefined && method === "squash") return true;
  const names = placeholdersIn(`${commitTitle}${commitMessage ?? ""}`);
  return names.includes("body") || names.includes("commits");
}

function fill(
  { commitTitle, commitMessage }: RepositoryFile,
  method: MergeMethod,
  { pr, title, author, url }: Entry,
  { body, commits }: PullRequestText,
): CommitMessage {
  const subjects = commits.map(({ message }) => `* ${message.split("\n")[0]?.trim() ?? ""}`);
  const values = { title, number: `${pr}`, body: body.trim(), author, url, commits: subjects.join("\n") };
  const message: { title?: string; body?: string } = {};
  if (commitTitle !== undefined)
    message.title = fillTemplate(commitTitle, values).replaceAll(/\s+/g, " ").slice(0, longestTitle);
  if (commitMessage !== undefined) {
    const filled = fillTemplate(commitMessage, values).slice(0, longestBody);
    const kept = method === "squash" ? squashTrailers(commits, author) : [];
    const trailers = kept.filter((line) => !filled.includes(line)).join("\n");
    message.body = [filled, trailers].filter((part) => part !== "").join("\n\n");
  }
  return message;
}
