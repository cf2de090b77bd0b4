import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import * as z from "zod";

const schema = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional(),
  url: z.url(),
  // GitHub also creates a private App by default. Probot creates a public one, which anybody may install.
  public: z.boolean().default(false),
  default_permissions: z
    .record(z.string(), z.enum(["read", "write", "admin"]))
    .refine((permissions) => Object.keys(permissions).length > 0, "is empty"),
  default_events: z.array(z.string()).min(1),
});

/** The manifest that a GitHub App is created from. Source: GitHub, "Registering a GitHub App from a manifest". */
export type AppManifest = z.infer<typeof schema>;

export interface ManifestProblem {
  readonly code: "APP_MANIFEST_UNREADABLE";
  /** Describes the problem, and how to solve it. */
  readonly problem: string;
}

/** The `app.yml` of this package, not one in the working directory. */
const ownManifest = fileURLToPath(new URL("../../app.yml", import.meta.url));

/** Reads the App's manifest. It must have permissions and events: an App created without them can do nothing. */
export function readAppManifest(path: string = ownManifest): { manifest: AppManifest } | ManifestProblem {
  try {
    const parsed = schema.safeParse(parse(readFileSync(path, "utf8")));
    return parsed.success ? { manifest: parsed.data } : toProblem(path, z.prettifyError(parsed.error));
  } catch (error) {
    return toProblem(path, error instanceof Error ? error.message : String(error));
  }
}

/**
 * Returns the package's manifest.
 *
 * @throws Error when it cannot be read: the package is damaged
 */
export function requireAppManifest(): AppManifest {
  const read = readAppManifest();
  if ("manifest" in read) return read.manifest;
  throw new Error(read.problem);
}

function toProblem(path: string, reason: string): ManifestProblem {
  const problem = `${path} is not a manifest of a GitHub App: ${reason}. Restore this file from Trainyard's repository, then start again.`;
  return { code: "APP_MANIFEST_UNREADABLE", problem };
}
