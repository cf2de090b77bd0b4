import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

/**
 * Bundles the client that other packages import as `trainyard/client`: one file of JavaScript, and the declarations of each
 * source.
 */
export async function bundleClient(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/client/index.ts"],
    bundle: true,
    write: false,
    platform: "node",
    target: "node24",
    format: "esm",
    charset: "utf8",
    logLevel: "warning",
  });
  const [index] = outputFiles;
  if (!index) throw new Error("esbuild made no file");
  return new Map([["client/index.js", index.text], ...declarations()]);
}

/** Returns the declarations of the entry's exports, and of the files that they depend on. */
function declarations(): [name: string, content: string][] {
  const directory = mkdtempSync(join(tmpdir(), "trainyard-client-"));
  try {
    const tsc = join(root, "node_modules/.bin/tsc");
    execFileSync(tsc, ["-p", join(import.meta.dirname, "client.tsconfig.json"), "--outDir", directory], {
      stdio: "inherit",
    });
    const found = new Map([["index.d.ts", read(directory, "index.d.ts")]]);
    for (const content of found.values()) {
      for (const [, name] of content.matchAll(/from "\.\/([\w/-]+)\.ts"/g))
        found.set(`${name}.d.ts`, read(directory, `${name}.d.ts`));
    }
    return [...found].sort().map(([name, content]) => [`client/${name}`, content]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function read(directory: string, name: string): string {
  return readFileSync(join(directory, name), "utf8");
}
