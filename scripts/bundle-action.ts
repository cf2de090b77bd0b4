import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { collectLicences } from "./collect-licences.ts";

const root = join(import.meta.dirname, "..");

/** A larger bundle would noticeably slow down every step that uses the Action: each one loads it again. */
const maxBytes = 1_500_000;

/**
 * `@actions/core` always loads its OIDC client, and with it an HTTP client of 800 KB. Its modules do nothing when they are
 * loaded, but its package.json does not declare that.
 */
const withoutUnusedModules: Plugin = {
  name: "without-unused-modules",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
      const isTheirs = path.startsWith("@actions/") || from.importer.includes("/node_modules/@actions/");
      if (!isTheirs || pluginData === "asked") return;
      const { importer, kind, namespace, resolveDir } = from;
      const found = await resolve(path, { importer, kind, namespace, resolveDir, pluginData: "asked" });
      return { ...found, sideEffects: false };
    });
  },
};

/**
 * CommonJS packages, such as `yaml`, load modules of Node.js by `require`, which an ES module does not have. Without this
 * banner, each such call would throw "Dynamic require is not supported", and only when it is reached.
 */
const requireForModules =
  'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);';

/** Bundles the Action into one file, with the licences of its contents. GitHub runs an Action directly from its repository. */
export async function bundleAction(): Promise<Map<string, string>> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/action/main.ts"],
    outfile: "dist/index.js",
    bundle: true,
    write: false,
    metafile: true,
    // The bundle names its sources. This keeps the names the same where node_modules is a link, as in a worktree of git.
    preserveSymlinks: true,
    platform: "node",
    target: "node24",
    // The repository's package.json makes dist/index.js a module.
    format: "esm",
    banner: { js: requireForModules },
    charset: "utf8",
    legalComments: "none",
    plugins: [withoutUnusedModules],
    logLevel: "warning",
  });
  const [index] = outputFiles;
  if (!index) throw new Error("esbuild made no file");
  if (index.contents.length > maxBytes) {
    throw new Error(`dist/index.js has ${index.contents.length} bytes; ${maxBytes} is the limit`);
  }
  return new Map([
    ["dist/index.js", index.text],
    ["dist/licenses.txt", collectLicences(metafile)],
  ]);
}
