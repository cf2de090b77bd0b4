import { glob, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { compileGlobs, includes } from "../targets/globs.ts";

interface EncodedReport {
  readonly path: string;
  readonly encoding: "gzip";
  /** Base64. */
  readonly content: string;
}

/** The reports that can be sent. `found` also counts those left out, so that the service knows that some are missing. */
export interface FoundReports {
  readonly found: number;
  readonly reports: readonly EncodedReport[];
}

/** The maximum size of all reports together, out of the 20 MiB that a request may have. */
const maxEncoded = 19 * 1024 * 1024;
/** The service reads at most this much of all reports together. */
const maxReport = 256 * 1024 * 1024;
const compress = promisify(gzip);

/**
 * Reads the files that the globs match, in the order of their paths. A glob with `!` excludes what earlier ones match. Reads one file after the other, so that only one is in memory
 * uncompressed.
 *
 * @param since files last modified before this time belong to another run, and are skipped; null = none is skipped.
 */
export async function findReports(
  globs: readonly string[],
  cwd: string,
  since: number | null,
): Promise<FoundReports> {
  let left = maxEncoded;
  let found = 0;
  const reports: EncodedReport[] = [];
  for (const path of await matching(globs, cwd)) {
    const file = await stat(join(cwd, path)).catch(unlessMissing);
    if (file?.isDirectory()) continue;
    if (!file?.isFile()) {
      // A broken link, or a device or pipe, whose reading may never end. It counts as a missing report.
      found += 1;
      continue;
    }
    const { mtimeMs, size } = file;
    if (since !== null && mtimeMs < since) continue;
    found += 1;
    if (size > maxReport) continue;
    const content = (await compress(await readFile(join(cwd, path)))).toString("base64");
    if (content.length > left) continue;
    left -= content.length;
    reports.push({ path: path.replaceAll("\\", "/"), encoding: "gzip", content });
  }
  return { found, reports };
}

async function matching(globs: readonly string[], cwd: string): Promise<string[]> {
  let paths = new Set<string>();
  for (const pattern of globs) {
    if (pattern.startsWith("!")) {
      const excluded = compileGlobs([pattern.slice(1)]);
      paths = new Set([...paths].filter((path) => !includes(excluded, path.replaceAll("\\", "/"))));
      continue;
    }
    const options = { cwd, withFileTypes: true, exclude: isNoReport, followSymlinks: true } as const;
    for await (const entry of glob(pattern, options)) {
      if (entry.isFile() || entry.isSymbolicLink())
        paths.add(join(entry.parentPath, entry.name).slice(join(cwd, "/").length));
    }
  }
  return [...paths].toSorted();
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ELOOP") return null;
  throw error;
}

/** Large folders that contain no reports. */
function isNoReport({ name }: { readonly name: string }): boolean {
  return name === ".git" || name === "node_modules";
}
