import * as z from "zod";
import { structureFault } from "../../../api/bodies/parse-json.ts";
import { type Problem, ProblemError } from "../../../api/problems/problem.ts";
import { repository } from "../../../api/schema/addresses.ts";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { longestVariant } from "../../identity.ts";
import { type BundleMeta, usedVariables } from "../../service/uploads/bundle-facts.ts";

/**
 * Maximum cost, as `structureFault` counts it. It suffices for 3,900 reports in one set, or 2,200 reports in one set each.
 * The worst file within it takes up to 30 ms to parse, and bundles are read in the event loop.
 */
const largestStructure = 2.5 * 1024 * 1024;

const variables = z.object(
  Object.fromEntries(usedVariables.map((name) => [name, z.string().optional().catch(undefined)])),
);

const metaFile = z.object({
  repo: z.object({
    repo: repository,
    repo_head_sha: z.string().regex(/^[0-9a-fA-F]{7,64}$/),
    repo_head_branch: z.string().max(500),
  }),
  bundle_upload_id: z.string().max(200).catch(""),
  variant: z.string().max(longestVariant).nullish(),
  envs: variables.catch({}),
  // Checked by hand: zod creates an issue for each wrong item, which takes seconds for a hundred thousand items.
  file_sets: z.custom<readonly FileSet[]>((value) => Array.isArray(value) && value.every(isFileSet)),
});

interface FileSet {
  readonly file_set_type?: unknown;
  readonly files: readonly BundledFile[];
}

interface BundledFile {
  readonly path: string;
  readonly original_path: string;
  readonly original_path_rel?: string | null;
}

/** The contents of a bundle's `meta.json`. */
export interface ReadMeta {
  readonly repo: RepositoryRef;
  readonly meta: BundleMeta;
  /** The original name of each JUnit file, keyed by its name in the bundle. */
  readonly reports: ReadonlyMap<string, string>;
}

/** @throws ProblemError 400 */
export function readBundleMeta(json: Uint8Array): ReadMeta {
  const fault = structureFault(json, largestStructure);
  if (fault === "TOO_MANY_VALUES") throw tooLargeMeta();
  if (fault === "TOO_DEEP") throw unreadable("its meta.json nests too deep");
  const parsed = metaFile.safeParse(parseJson(json));
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join(".") || "an object";
    throw unreadable(`its meta.json lacks ${path}, or has it in another form`);
  }
  const { repo, envs, variant, bundle_upload_id: bundleId, file_sets: fileSets } = parsed.data;
  return {
    repo: repo.repo,
    meta: {
      headSha: repo.repo_head_sha,
      headBranch: repo.repo_head_branch,
      bundleId,
      variant: variant ?? "",
      envs,
    },
    reports: reportsOf(fileSets),
  };
}

function reportsOf(fileSets: readonly FileSet[]): ReadonlyMap<string, string> {
  const reports = new Map<string, string>();
  for (const { file_set_type: type, files } of fileSets) {
    if (typeof type === "string" && type.toLowerCase() !== "junit") continue;
    for (const file of files) reports.set(file.path, file.original_path_rel || file.original_path);
  }
  return reports;
}

function isFileSet(value: unknown): value is FileSet {
  return isObject(value) && Array.isArray(value.files) && value.files.every(isBundledFile);
}

function isBundledFile(value: unknown): value is BundledFile {
  if (!isObject(value)) return false;
  const { path, original_path: original, original_path_rel: relative } = value;
  return typeof path === "string" && typeof original === "string" && typeof (relative ?? "") === "string";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function parseJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(json));
  } catch {
    throw unreadable("its meta.json is not JSON");
  }
}

export function unreadable(what: string): ProblemError {
  return notReadable(
    `This is not a bundle as the uploader makes it: ${what}. Nothing was kept; send it again.`,
  );
}

export function tooLargeMeta(): ProblemError {
  return notReadable(
    "The meta.json of the bundle holds more than is read of one: it has room for some thousands of reports. Nothing was kept. Upload the reports in several bundles.",
  );
}

function notReadable(detail: string): ProblemError {
  return new ProblemError({ code: "BUNDLE_NOT_READABLE", detail } satisfies Problem);
}
