import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Returns the path of an `app.yml` with another access for one permission; null removes the permission. The
 * file is deleted when the process ends.
 *
 * @param from the path of the manifest to change; default: the App's own one
 */
export function manifestWith(
  permission: string,
  access: "read" | "write" | null,
  from = join(import.meta.dirname, "../app.yml"),
): string {
  const directory = mkdtempSync(join(tmpdir(), "trainyard-manifest-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "app.yml");
  const line = access === null ? "" : `  ${permission}: ${access}\n`;
  const manifest = readFileSync(from, "utf8");
  const asked = new RegExp(`^ {2}${permission}: .*\n`, "m");
  const changed = asked.test(manifest)
    ? manifest.replace(asked, line)
    : manifest.replace(/^default_permissions:\n/m, (start) => start + line);
  if (changed === manifest) throw new Error(`app.yml asks for that much of ${permission} already`);
  writeFileSync(path, changed);
  return path;
}
