import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Formats what a script has generated as `npm run check` wants it. `path` is where it is going to be, relative to the root. */
export function formatSource(source: string, path: string): string {
  const biome = join(root, "node_modules/.bin/biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${path}`], {
    cwd: root,
    input: source,
    encoding: "utf8",
  });
}
