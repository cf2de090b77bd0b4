import { execFile } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "../..");

/** What a newcomer has: a clone of the repository, and an environment in which nothing is set up. */
export interface Place {
  readonly clone: string;
  /** The directory for temporary files of everything that runs. */
  readonly temporary: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the packages are links to ours, so that `npm ci` is left out. */
  readonly isLinked: boolean;
}

export async function makeClone(directory: string, isLinked: boolean): Promise<Place> {
  const [clone, temporary] = [join(directory, "trainyard"), join(directory, "tmp")];
  await run("git", ["clone", "--quiet", repository, clone]);
  await mkdir(temporary);
  if (isLinked) await symlink(join(repository, "node_modules"), join(clone, "node_modules"));
  const { PATH = "", HOME = "" } = process.env;
  return { clone, temporary, isLinked, env: { PATH, HOME, TMPDIR: temporary } };
}

/** Returns the first command of the README, literally, or without `npm ci` where the packages are links. */
export async function firstCommandOf({ clone, isLinked }: Place): Promise<string> {
  const readme = await readFile(join(clone, "README.md"), "utf8");
  const [, command = ""] = /```sh\n(.+)\n```/.exec(readme) ?? [];
  if (!command.startsWith("npm ci && ")) throw new Error(`the README begins with "${command}"`);
  return isLinked ? command.replace("npm ci && ", "") : command;
}

/** Installs the packages, and returns the problem. */
export async function install({ clone, env }: Place): Promise<string | null> {
  await run("npm", ["ci"], { cwd: clone, env });
  return null;
}
