/** Where a head and a branch may conflict. */
export interface ConflictDetails {
  /** The files that both have changed since their merge base. GitHub lists at most 300 files of each side. */
  readonly paths: readonly string[];
  /** If there is one such file: the pull request that changed it last on the branch; null when there is none. */
  readonly since: number | null;
}
