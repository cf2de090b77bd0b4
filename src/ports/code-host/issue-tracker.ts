import type { InstalledRepository } from "./code-host.ts";

/** An issue that the App opened. */
export interface TrackedIssue {
  readonly number: number;
  /** The issue's page. */
  readonly url: string;
}

export interface IssueContent {
  /** Identifies what the issue is about, so that it can be found again. Not visible to people. */
  readonly subject: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly labels: readonly string[];
}

/**
 * Our issues at the code host. Expected outcomes are values. Everything else throws a `CodeHostError`:
 * `denied` without the permission, `not_found` where issues are disabled.
 */
export interface IssueTracker {
  /** Our issue about a subject, opened or changed since a time; null when there is none. */
  findIssue(repo: InstalledRepository, subject: string, since: number): Promise<TrackedIssue | null>;
  openIssue(repo: InstalledRepository, content: IssueContent): Promise<TrackedIssue>;
  /**
   * Reopens or closes an issue and replaces its text. Titles and labels that people changed stay. Null when
   * the issue was deleted.
   */
  editIssue(
    repo: InstalledRepository,
    number: number,
    content: Pick<IssueContent, "subject" | "body"> & { readonly state: "open" | "closed" },
  ): Promise<TrackedIssue | null>;
  /** Writes a comment once for each key. `mayExist`: an earlier attempt may have written it. */
  commentOnIssue(
    repo: InstalledRepository,
    number: number,
    comment: { readonly key: string; readonly body: string },
    mayExist: boolean,
  ): Promise<void>;
}
