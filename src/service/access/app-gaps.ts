import type { AppAccess } from "../../ports/code-host/app.ts";

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

function suffices(has: string | undefined, wanted: string): boolean {
  return has !== undefined && levels.indexOf(has) >= levels.indexOf(wanted);
}
