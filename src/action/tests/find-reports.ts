import { glob, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

export interface EncodedReport {
  readonly path: string;
  readonly encoding: "gzip";
  /** In base64. */
  readonly content: string;
}

/** The reports as they can be sent. What is left out is counted, so that nobody takes the rest for all. */
export interface FoundReports {
  readonly found: number;
  readonly reports: readonly EncodedReport[];
}

/** All of them together, of the 20 MiB that a request may have. */
const maxEncoded = 19 * 1024 * 1024;
/** The service reads no more of all reports together. */
const maxReport = 256 * 1024 * 1024;
const compress = promisify(gzip);

/**
 * Files that the globs name, in the order of their names, one after the other so that only one is held whole.
 *
 * @param since files that were last changed before are of another run, and left alone; null = all count.
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
    const { mtimeMs, size } = await stat(join(cwd, path));
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
  const paths = new Set<string>();
  for (const pattern of globs) {
    for await (const entry of glob(pattern, { cwd, withFileTypes: true, exclude: isNoReport })) {
      if (entry.isFile()) paths.add(join(entry.parentPath, entry.name).slice(join(cwd, "/").length));
    }
  }
  return [...paths].toSorted();
}

/** Large folders in which nobody writes reports. */
function isNoReport({ name }: { readonly name: string }): boolean {
  return name === ".git" || name === "node_modules";
}
