import type { Obstacle } from "../../engine/reasons/reason.ts";
import type { AppAccess, Installation, KnownPlace, Reach } from "../../ports/code-host/app.ts";
import type { Logger } from "../../ports/code-host/runtime.ts";

/** The permissions and events that the App should have and lacks. */
export interface AppGaps {
  /** As in a manifest: `contents: write`. Nothing can be merged without these. */
  readonly essential: readonly string[];
  /** Permissions that other features need. */
  readonly further: readonly string[];
  readonly events: readonly string[];
}

/** Without these, no test commit can be built, no check can be judged, or no pull request can be merged. */
const forMerging: Readonly<Record<string, string>> = {
  metadata: "read",
  contents: "write",
  pull_requests: "write",
  checks: "read",
  statuses: "read",
};

const levels = ["read", "write", "admin"];

/** Compares the App's access with its manifest. Extra access is no gap. */
export function findAppGaps(wanted: AppAccess, has: AppAccess): AppGaps {
  const lacks = (needed: Readonly<Record<string, string>>) =>
    Object.entries(needed).filter(([name, access]) => !suffices(has.permissions[name], access));
  const essential = new Map(lacks(forMerging));
  const show = ([name, access]: readonly [string, string]) => `${name}: ${access}`;
  const missing = lacks(wanted.permissions);
  return {
    // The manifest asks for more than merging needs, so granting that closes both gaps at once.
    essential: [...essential].map(([name, access]) => show([name, wanted.permissions[name] ?? access])),
    further: missing.filter(([name]) => !essential.has(name)).map(show),
    events: wanted.events.filter((event) => !has.events.includes(event)),
  };
}

/** Compares what an account's owner has granted with the App's manifest, except for the events. */
export function findUnaccepted(
  { permissions, isPersonal }: Installation,
  wanted: Pick<AppAccess, "permissions">,
): AppGaps {
  const { members: _ofOrganisations, ...ofAll } = wanted.permissions;
  const asked = isPersonal ? ofAll : wanted.permissions;
  return findAppGaps({ permissions: asked, events: [] }, { permissions, events: [] });
}

function suffices(has: string | undefined, wanted: string): boolean {
  return has !== undefined && levels.indexOf(has) >= levels.indexOf(wanted);
}

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
      const { owner, settingsUrl: url } = reach.installation;
      const permissions = findUnaccepted(reach.installation, { permissions: {} }).essential;
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
  return (
    code === "APP_SUSPENDED" ||
    code === "REPOSITORY_ARCHIVED" ||
    code === "APP_PERMISSIONS_NOT_GRANTED" ||
    code === "OLDER_INSTANCE"
  );
}

/**
 * Warns about permissions that the App asks for and an account's owner has not accepted, once for each
 * installation and set of permissions. Permissions that merging needs are not included: they stop the queue
 * (`APP_PERMISSIONS_NOT_GRANTED`).
 */
export class UnacceptedPermissions {
  readonly #wanted: Readonly<Record<string, string>>;
  readonly #log: Logger;
  /** By installation id: the missing permissions at the last reading. */
  readonly #missing = new Map<number, string>();

  /** @param wanted the permissions that the App's manifest asks for */
  constructor(wanted: Readonly<Record<string, string>>, log: Logger) {
    this.#wanted = wanted;
    this.#log = log;
  }

  note(installation: Installation): void {
    const { id, owner, settingsUrl: url } = installation;
    const { further: permissions } = findUnaccepted(installation, { permissions: this.#wanted });
    const missing = permissions.join(", ");
    const before = this.#missing.get(id) ?? "";
    this.#missing.set(id, missing);
    if (missing === "" || missing === before) return;
    this.#log.warn(
      { code: "APP_PERMISSIONS_NOT_ACCEPTED", owner, permissions, url },
      `The App's installation on ${owner} lacks ${missing}, so some features do not work there. Accept its new permissions at ${url}`,
    );
  }
}
