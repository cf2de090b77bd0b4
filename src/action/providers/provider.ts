import type { GitEnvironment } from "../git/git.ts";

/** What a pull request changes, and where to look at it. */
export interface Change {
  readonly baseSha: string;
  readonly headSha: string;
  readonly git: GitEnvironment;
}

/** What a pull request impacts: everything, for a reason, or targets that come in batches. */
export type Impact =
  | { readonly all: true; readonly because: string }
  | { readonly all: false; readonly targets: AsyncIterable<readonly string[]> };
