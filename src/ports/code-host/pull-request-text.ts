/** The text that the author of a pull request wrote. */
export interface PullRequestText {
  readonly body: string;
  /** Oldest first, at most 250. */
  readonly commits: readonly {
    readonly message: string;
    readonly authorName: string;
    readonly authorEmail: string;
    /** The author's account; null when unknown. */
    readonly authorLogin: string | null;
  }[];
  /** The number of commits that are not in the list. */
  readonly unlisted: number;
}
