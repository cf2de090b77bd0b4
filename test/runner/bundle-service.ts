import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache");
const keptMs = 24 * 3_600_000;

/** `import.meta` keeps naming the place of the source, where the files are that it reads. */
const keepPlaces: Plugin = {
  name: "keep-places",
  setup({ onLoad }) {
    onLoad({ filter: /\/(src|tools)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (path.includes("/node_modules/") || !source.includes("import.meta.")) return;
      const contents = source
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)));
      return { contents, loader: "ts" };
    });
  },
};

/** CommonJS packages call `require`. */
const banner = `import { createRequire as requireFrom } from "node:module";
const require = requireFrom(import.meta.url);`;

/**
 * Bundles the `trainyard` command with its packages, and returns its path. A process that runs the bundle starts in half the time,
 * and tests start hundreds. `pg` stays a package, because crash tests change its class.
 */
export async function bundleService(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    outdir: "/",
    bundle: true,
    splitting: true,
    write: false,
    platform: "node",
    target: "node24",
    format: "esm",
    external: ["pg"],
    banner: { js: banner },
    plugins: [keepPlaces],
    logLevel: "warning",
  });
  const hash = createHash("sha256");
  for (const { hash: content } of outputFiles) hash.update(content);
  const directory = join(cache, `service-${hash.digest("hex").slice(0, 16)}`);
  if (!existsSync(directory)) {
    await mkdir(cache, { recursive: true });
    await removeOld();
    const unfinished = await mkdtemp(join(cache, "service-"));
    await writeFile(join(unfinished, "package.json"), '{ "type": "module" }\n');
    for (const { path, contents } of outputFiles)
      await writeFile(join(unfinished, relative("/", path)), contents);
    // Another run may have been faster.
    await rename(unfinished, directory).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(directory, "main.js");
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    if (name.startsWith("service-") && (await stat(path)).mtimeMs < Date.now() - keptMs)
      await rm(path, { recursive: true, force: true });
  }
}
