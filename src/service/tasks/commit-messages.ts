import { fillTemplate, maxCommitMessage, maxCommitTitle, placeholdersIn } from "../../command/commit-text.ts";
import { splitTrailers, squashTrailers, withTrailers } from "../../command/commit-trailers.ts";
import type { Entry } from "../../engine/model/entry.ts";
import type { MergeMethod } from "../../engine/model/settings.ts";
import type { CommitMessage } from "../../engine/model/test-run.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { PullRequestText } from "../../ports/code-host/pull-requests.ts";
import type { QueueContext } from "../observation/queue-context.ts";

const noText: PullRequestText = { body: "", commits: [], unlisted: 0 };

/**
 * The commit messages of pull requests: the text given with the submission, otherwise the templates of
 * `.github/trainyard.yml`.
 */
export class CommitMessages {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /**
   * A pull request's commit message. Missing parts get GitHub's default, which GitHub itself writes for a squash. An invalid file is
   * ignored.
   */
  async of(repo: InstalledRepository, entry: Entry, method: MergeMethod): Promise<CommitMessage | null> {
    if (method === "rebase") return null;
    const wanted = await this.#wanted(repo, entry);
    const written = await this.#written(repo, entry, method, wanted);
    if (method === "squash" || (wanted.title && wanted.body)) return written;
    return { ...(await this.#context.directory.codeHost.readMergeMessage(repo, entry.pr)), ...written };
  }

  async #written(repo: InstalledRepository, entry: Entry, method: MergeMethod, wanted: Wanted) {
    if (wanted.title === undefined && wanted.body === undefined) return null;
    const text = needsText(wanted, method)
      ? await this.#context.directory.codeHost.readPullRequestText(repo, entry.pr)
      : noText;
    return write(wanted, method, entry, text);
  }

  async #wanted(repo: InstalledRepository, { baseBranch, message }: Entry): Promise<Wanted> {
    const given: Wanted = {
      ...(message?.title === undefined ? {} : { title: { given: message.title } }),
      ...(message?.body === undefined ? {} : { body: { given: message.body } }),
    };
    if (given.title && given.body) return given;
    const parsed = await this.#context.files.read(repo, baseBranch);
    const { commitTitle, commitMessage } = parsed.ok
      ? parsed.file
      : this.#context.files.lastValid(repo, baseBranch);
    return {
      ...(commitTitle === undefined ? {} : { title: { template: commitTitle } }),
      ...(commitMessage === undefined ? {} : { body: { template: commitMessage } }),
      ...given,
    };
  }
}

/** A literal text, or a template. */
type Source = { readonly given: string } | { readonly template: string };

interface Wanted {
  readonly title?: Source;
  readonly body?: Source;
}

function needsText({ title, body }: Wanted, method: MergeMethod): boolean {
  // GitHub does not add co-authors to a message that the caller provides.
  if (body !== undefined && method === "squash") return true;
  const names = [title, body].flatMap((source) =>
    source && "template" in source ? placeholdersIn(source.template) : [],
  );
  return names.includes("body") || names.includes("commits");
}

function write(
  wanted: Wanted,
  method: MergeMethod,
  { pr, title, author, url }: Entry,
  { body, commits, unlisted }: PullRequestText,
): CommitMessage {
  const subjects = commits.map(({ message }) => `* ${message.split("\n")[0]?.trim() ?? ""}`);
  // Comments in templates of descriptions are instructions for authors.
  const described = splitTrailers(body.replaceAll(/<!--[\s\S]*?-->/g, "").trim());
  const values = { title, number: `${pr}`, body: described.text, author, url, commits: subjects.join("\n") };
  const textOf = (source: Source, maxLength: number) =>
    "given" in source ? source.given : fillTemplate(source.template, values, maxLength);
  const message: { title?: string; body?: string } = {};
  if (wanted.title) message.title = textOf(wanted.title, maxCommitTitle).replaceAll(/\s+/g, " ");
  if (wanted.body) {
    const usesBody = "template" in wanted.body && placeholdersIn(wanted.body.template).includes("body");
    const isSquash = method === "squash";
    const trailers = [
      ...(usesBody ? described.trailers : []),
      ...(isSquash ? squashTrailers(commits, author) : []),
    ];
    const missing =
      isSquash && unlisted > 0 ? `\n\nThe authors of ${unlisted} more commits are not listed.` : "";
    const below = ["", ...trailers].join("\n").length + missing.length + 1;
    const text = textOf(wanted.body, Math.max(1, maxCommitMessage - below));
    message.body = withTrailers(text + missing, trailers, maxCommitMessage);
  }
  return message;
}
