import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");

/** More would be felt by every step that uses the Action, which loads it anew. */
const maxBytes = 1_500_000;

/**
 * `@actions/core` loads its OIDC client, and with it an HTTP client of 800 KB, whether that is used or not. Its modules do
 * nothing when they are loaded, which its package.json does not say.
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
 * Packages in CommonJS, such as `yaml`, load modules of Node.js by `require`, which a module does not have. Without it, esbuild makes
 * each such call throw "Dynamic require is not supported", and only when it is reached.
 */
const requireForModules =
  'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);';

/** The Action in one file, with the licences of what is in it: GitHub runs an Action from its repository as it is there. */
export async function bundleAction(): Promise<Map<string, string>> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/action/main.ts"],
    outfile: "dist/index.js",
    bundle: true,
    write: false,
    metafile: true,
    // The bundle names its sources: the same names where node_modules is a link, as in a worktree of git.
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
    ["dist/licenses.txt", licences(metafile)],
  ]);
}

/** The licences of the packages of which something is in the bundle. */
function licences({ outputs }: Metafile): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const directories = used.flatMap((path) => path.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? []);
  const sections = [...new Set(directories)].sort().map((directory) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, directory, "package.json"), "utf8"),
    );
    const file = readdirSync(join(root, directory)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    if (!file) throw new Error(`${name} ${version} (${license}) comes without the text of its licence`);
    const text = readFileSync(join(root, directory, file), "utf8")
      .replaceAll("\r\n", "\n")
      .trim();
    return `${name} ${version}\n${license}\n\n${text}\n`;
  });
  return sections.join(`\n${"-".repeat(80)}\n\n`);
}
