import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Packs this repository into a directory. Returns the path of the tarball. */
export async function packTo(directory: string): Promise<string> {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", directory], { cwd: root });
  // The scripts print before the list.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [{ filename: string }];
  return join(directory, packed.filename);
}

/**
 * Installs a tarball as `npm install --omit=dev` does, without the network: the packages of production that package-lock.json
 * names are copied from this repository. npm fails if the tarball needs any other.
 */
export async function installTo(directory: string, tarball: string): Promise<void> {
  await copyPackagesTo(directory);
  // npm would fetch packages again whose commands are not linked, and remove those that no package.json names.
  const commands = "node_modules/.bin";
  await cp(join(root, commands), join(directory, commands), { recursive: true, verbatimSymlinks: true });
  const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  await writeFile(join(directory, "package.json"), JSON.stringify({ private: true, dependencies }));
  const cache = join(directory, "../npm-cache");
  await run("npm", ["install", "--offline", "--omit=dev", "--cache", cache, tarball], { cwd: directory });
}

/** Copies the packages of production. Returns their names with their versions. */
export async function copyPackagesTo(directory: string): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lock;
  const needed = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => !(path === "" || dev || devOptional),
  );
  await mkdir(directory, { recursive: true });
  for (const [path] of needed)
    await cp(join(root, path), join(directory, path), { recursive: true, filter: isNoInner(path) });
  return needed.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
}

/** Packages inside a package have their own line in package-lock.json. */
function isNoInner(path: string): (source: string) => boolean {
  const inner = join(root, path, "node_modules");
  return (source) => source !== inner;
}
