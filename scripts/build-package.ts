import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { collectLicences } from "./collect-licences.ts";

/**
 * Bundles what the npm package runs into `lib/`, because Node strips no types below `node_modules`. `npm pack` calls it before
 * and after it packs, so a checkout has no `lib/` and runs its sources.
 *
 *     node scripts/build-package.ts            bundles
 *     node scripts/build-package.ts --remove   removes what it bundled
 */

const root = join(import.meta.dirname, "..");
const lib = join(root, "lib");
/** What starts a process or a thread. These files keep their paths. */
const entries = ["src/main.ts", "src/cli/{parsing,what-if}-worker.js", "tools/simulator/**/*-worker.ts"];
/** What the sources read, by paths relative to themselves. `dist` is the Action, which jobs of the demo run. */
const assets = [
  "src/dashboard/assets/*.js",
  "app.yml",
  "action.yml",
  "dist/index.js",
  "{src,tools}/**/*.{css,graphql,json,svg}",
];

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: { readonly start: string };
}

/**
 * Leaves the packages to `node_modules` that `npm install --omit=dev` installs. The others are embedded: only the local GitHub
 * needs them.
 */
function leaveInstalled(names: readonly string[]): Plugin {
  return {
    name: "leave-installed",
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
        const isInstalled = names.some((name) => path === name || path.startsWith(`${name}/`));
        return isInstalled && !importer.includes("/node_modules/") ? { path, external: true } : undefined;
      });
    },
  };
}

/**
 * Bundled files are at the top of `lib/`, and what they read is at its original path. So `import.meta` has to name the place
 * of the source. Names of sources beside it are those of entries.
 */
function keepPlaces(moved: Set<string>): Plugin {
  return {
    name: "keep-places",
    setup({ onLoad }) {
      onLoad({ filter: /\/(src|tools)\/.*\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        if (path.includes("/node_modules/") || !source.includes("import.meta.")) return;
        const place = relative(root, path).replace(/\.ts$/, ".js");
        moved.add(relative(root, path));
        const lines = source.split("\n").map((line) => {
          if (!line.includes("import.meta.")) return line;
          return line
            .replace(/\.ts(?=["`])/, ".js")
            .replace("import.meta.url", `new URL("${place}", import.meta.url)`)
            .replace("import.meta.dirname", `\`\${import.meta.dirname}/${dirname(place)}\``);
        });
        return { contents: lines.join("\n"), loader: "ts" };
      });
    },
  };
}

/** In a file that is not at the top of `lib/`, `import.meta` would name a wrong place. */
function refuseMisplaced({ outputs }: Metafile, moved: ReadonlySet<string>): void {
  for (const [output, { inputs }] of Object.entries(outputs)) {
    const misplaced = Object.keys(inputs).find((input) => moved.has(input));
    if (misplaced && dirname(output) !== "lib")
      throw new Error(`${misplaced} uses import.meta, so ${output} cannot contain it: import it lazily`);
  }
}

async function bundle(): Promise<void> {
  const text = readFileSync(join(root, "package.json"), "utf8");
  const { version, dependencies, scripts } = JSON.parse(text) as Package;
  const moved = new Set<string>();
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: globSync(entries, { cwd: root }),
    outdir: "lib",
    outbase: ".",
    bundle: true,
    splitting: true,
    metafile: true,
    preserveSymlinks: true,
    platform: "node",
    target: "node24",
    format: "esm",
    charset: "utf8",
    sourcemap: "linked",
    legalComments: "none",
    plugins: [leaveInstalled(Object.keys(dependencies)), keepPlaces(moved)],
    logLevel: "warning",
  });
  refuseMisplaced(metafile, moved);
  for (const path of globSync(assets, { cwd: root })) cpSync(join(root, path), join(lib, path));
  writeFileSync(join(lib, "licenses.txt"), collectLicences(metafile));
  // The bundled files read it as the root's package.json.
  const own = { version, type: "module", scripts: { start: scripts.start } };
  writeFileSync(join(lib, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
}

rmSync(lib, { recursive: true, force: true });
if (!process.argv.includes("--remove")) await bundle();
