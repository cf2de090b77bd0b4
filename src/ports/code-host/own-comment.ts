/** Our comment on a pull request. */
export interface PostedComment {
  readonly id: string;
  /** See `CommentContent.mark`. */
  readonly mark: string | null;
}

export interface CommentContent {
  /** Markdown. */
  readonly body: string;
  /** What the comment is written for, such as a place that was lost; null = it may be any. */
  readonly mark: string | null;
}
