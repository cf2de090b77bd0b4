import type { AppAccess } from "../ports/app-registration.ts";

/** What the App lacks of what it should have. */
export interface AppGaps {
  /** As in a manifest: `contents: write`. Without these nothing can be merged. */
  readonly essential: readonly string[];
  /** Permissions that something else needs. */
  readonly further: readonly string[];
  readonly events: readonly string[];
}

/** Without these no test commit can be built, no check be judged, or no pull request be merged. */
const forMerging: Readonly<Record<string, string>> = {
  metadata: "read",
  contents: "write",
  pull_requests: "write",
  checks: "read",
  statuses: "read",
};

const levels = ["read", "write", "admin"];

/** Compares what the App has with what its manifest asks for. Having more is no gap. */
export function findAppGaps(wanted: AppAccess, has: AppAccess): AppGaps {
  const lacks = (needed: Readonly<Record<string, string>>) =>
    Object.entries(needed).filter(([name, access]) => !suffices(has.permissions[name], access));
  const essential = new Map(lacks(forMerging));
  const show = ([name, access]: readonly [string, string]) => `${name}: ${access}`;
  const missing = lacks(wanted.permissions);
  return {
    // What the manifest asks for is more than what merging needs, and mends both at once.
    essential: [...essential].map(([name, access]) => show([name, wanted.permissions[name] ?? access])),
    further: missing.filter(([name]) => !essential.has(name)).map(show),
    events: wanted.events.filter((event) => !has.events.includes(event)),
  };
}

function suffices(has: string | undefined, wanted: string): boolean {
  return has !== undefined && levels.indexOf(has) >= levels.indexOf(wanted);
}
