/** Why nothing can be tested or merged in a whole repository or branch. Each is also a `Reason`. */
export type Obstacle =
  | { readonly code: "APP_SUSPENDED"; readonly owner: string; readonly url: string }
  | { readonly code: "APP_UNINSTALLED"; readonly owner: string }
  /** `permissions` as in a manifest: `contents: write`. */
  | {
      readonly code: "APP_PERMISSIONS_NOT_GRANTED";
      readonly owner: string;
      readonly permissions: readonly string[];
      readonly url: string;
    }
  | { readonly code: "REPOSITORY_UNREACHABLE"; readonly repository: string }
  | { readonly code: "REPOSITORY_ARCHIVED"; readonly repository: string }
  | { readonly code: "BRANCH_MISSING"; readonly branch: string };

export type ObstacleCode = Obstacle["code"];

/** The cause, and how to remove it. `foreign` as for `renderReason`. */
export function renderObstacle(obstacle: Obstacle, foreign: (text: string) => string): string {
  const goesOn = "the queue then continues by itself";
  switch (obstacle.code) {
    case "APP_SUSPENDED":
      return `the GitHub App is suspended on ${foreign(obstacle.owner)}; unsuspend it at ${obstacle.url}, and ${goesOn}`;
    case "APP_UNINSTALLED":
      return `the GitHub App is not installed on ${foreign(obstacle.owner)}; install it again, and ${goesOn}`;
    case "APP_PERMISSIONS_NOT_GRANTED":
      return `the GitHub App on ${foreign(obstacle.owner)} lacks ${obstacle.permissions.join(", ")}; accept its new permissions at ${obstacle.url}, and ${goesOn}`;
    case "REPOSITORY_UNREACHABLE":
      return `the GitHub App cannot see ${foreign(obstacle.repository)}: it was deleted, or transferred, or the App's access was removed; install the App where the repository is now and give it access, or delete this queue`;
    case "REPOSITORY_ARCHIVED":
      return `${foreign(obstacle.repository)} is archived, so that it cannot be changed; unarchive it in its settings, and ${goesOn}`;
    case "BRANCH_MISSING":
      return `the branch ${foreign(obstacle.branch)} does not exist; create it again, and ${goesOn}, or delete this queue`;
  }
}
