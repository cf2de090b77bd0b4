/** What became of a command, in Markdown. */
export type Answer =
  /** `text` is null when the pull request's status says it all. */
  | { readonly done: true; readonly text: string | null }
  /** Nothing was done; `text` says why, and what would help. */
  | { readonly done: false; readonly text: string };

export function done(text: string | null = null): Answer {
  return { done: true, text };
}

export function refused(text: string): Answer {
  return { done: false, text };
}
