import type { InstalledRepository } from "./code-host.ts";

/** An issue that is ours. */
export interface TrackedIssue {
  readonly number: number;
  /** Its page. */
  readonly url: string;
}

export interface IssueContent {
  /** What it is about: found again by it, and shown to nobody. */
  readonly subject: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly labels: readonly string[];
}

/**
 * The issues that we keep at the code host. As everywhere there, expected outcomes are values, and everything else throws a
 * `CodeHostError`: `denied` without the permission, `not_found` where there are no issues.
 */
export interface IssueTracker {
  /** Our issue about a subject that was opened or changed since a time; null when there is none. */
  findIssue(repo: InstalledRepository, subject: string, since: number): Promise<TrackedIssue | null>;
  openIssue(repo: InstalledRepository, content: IssueContent): Promise<TrackedIssue>;
  /** Opens it again or closes it, with this text; what people have made of title and labels stays. Null when it was deleted. */
  editIssue(
    repo: InstalledRepository,
    number: number,
    content: Pick<IssueContent, "subject" | "body"> & { readonly state: "open" | "closed" },
  ): Promise<TrackedIssue | null>;
  /** Writes a comment once for each key. `mayExist`: an earlier try may have written it. */
  commentOnIssue(
    repo: InstalledRepository,
    number: number,
    comment: { readonly key: string; readonly body: string },
    mayExist: boolean,
  ): Promise<void>;
}
