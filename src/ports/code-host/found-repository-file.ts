/** What a branch or a commit has of the repository's own file. */
export interface FoundRepositoryFile {
  /** Null when there is none. */
  readonly path: string | null;
  readonly text: string | null;
  /** The paths of files that resemble it, and are not read. */
  readonly strays: readonly string[];
}
