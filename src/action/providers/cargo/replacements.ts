import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * The folders of crates that replace others in a workspace: `path` below `[patch]`, `[replace]` and `[patch.registry.name]`, in its
 * manifest and in Cargo's configuration. `cargo metadata --no-deps` does not report them. Parsed line by line, because a
 * superfluous path does no harm.
 */
export async function replacementFolders(workspaceRoot: string, cwd: string): Promise<string[]> {
  const files = ["Cargo.toml", ".cargo/config.toml", ".cargo/config"];
  const folders = new Set<string>();
  for (const directory of new Set([workspaceRoot, cwd])) {
    for (const file of files) {
      const text = await readFile(join(directory, file), "utf8").catch(() => "");
      for (const path of pathsOfReplacements(text)) folders.add(resolve(directory, path));
    }
  }
  return [...folders];
}

function* pathsOfReplacements(text: string): Generator<string> {
  let isReplacing = false;
  for (const line of text.split("\n")) {
    if (/^\s*\[/.test(line)) isReplacing = /^\s*\[\s*["']?(patch|replace)\b/.test(line);
    if (!isReplacing && !/^\s*(patch|replace)\b/.test(line)) continue;
    for (const [, path = ""] of line.matchAll(/\bpath\s*=\s*["']([^"']+)["']/g)) yield path;
  }
}
