import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The path of an `app.yml` that lacks a permission, or has less of it. The file goes when the process ends. */
export function manifestWith(permission: string, access: "read" | null): string {
  const directory = mkdtempSync(join(tmpdir(), "trainyard-manifest-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "app.yml");
  const line = access === null ? "" : `  ${permission}: ${access}\n`;
  const manifest = readFileSync(join(import.meta.dirname, "../app.yml"), "utf8");
  const changed = manifest.replace(new RegExp(`^ {2}${permission}: .*\n`, "m"), line);
  if (changed === manifest) throw new Error(`app.yml does not ask for ${permission}`);
  writeFileSync(path, changed);
  return path;
}
