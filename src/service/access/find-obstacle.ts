import type { Obstacle } from "../../engine/reasons/obstacle.ts";
import type { KnownPlace, Reach } from "../../ports/code-host/repository-reach.ts";
import { findAppGaps } from "./app-gaps.ts";

/** The obstacle that keeps a queue from working, according to the code host; null when there is none. */
export function findObstacle(reach: Reach, { repo, branch }: KnownPlace): Obstacle | null {
  const repository = `${repo.owner}/${repo.name}`;
  switch (reach.kind) {
    case "suspended":
      return {
        code: "APP_SUSPENDED",
        owner: reach.installation.owner,
        url: reach.installation.settingsUrl,
      };
    case "not_installed":
      return { code: "APP_UNINSTALLED", owner: repo.owner };
    case "not_visible":
      return { code: "REPOSITORY_UNREACHABLE", repository };
    case "reached": {
      const { owner, permissions: has, settingsUrl: url } = reach.installation;
      const permissions = findAppGaps(
        { permissions: {}, events: [] },
        { permissions: has, events: [] },
      ).essential;
      if (reach.archived) return { code: "REPOSITORY_ARCHIVED", repository };
      if (permissions.length > 0) return { code: "APP_PERMISSIONS_NOT_GRANTED", owner, permissions, url };
      return reach.branch === null ? { code: "BRANCH_MISSING", branch } : null;
    }
  }
}

/**
 * Whether the code host states the obstacle explicitly. Mere absence may be an incident of the code host, and
 * is believed only when it lasts.
 */
export function isStated({ code }: Obstacle): boolean {
  return code === "APP_SUSPENDED" || code === "REPOSITORY_ARCHIVED" || code === "APP_PERMISSIONS_NOT_GRANTED";
}
