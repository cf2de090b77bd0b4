/** What the author of a pull request has written. */
export interface PullRequestText {
  readonly body: string;
  /** The oldest first, at most 250. */
  readonly commits: readonly {
    readonly message: string;
    readonly authorName: string;
    readonly authorEmail: string;
    /** The author's account; null: not known. */
    readonly authorLogin: string | null;
  }[];
}
