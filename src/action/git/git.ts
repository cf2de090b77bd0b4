import { itemsPrintedBy, type Program, ProgramFailed, printedBy } from "../child-process.ts";

export type GitEnvironment = Pick<Program, "cwd" | "env" | "signal">;

/** The items that git prints. @throws ProgramFailed */
export function gitItems(
  git: GitEnvironment,
  separator: "\n" | "\0",
  ...args: string[]
): AsyncGenerator<readonly string[]> {
  // Prevents prompts for credentials, and gives messages in English.
  const env = { ...git.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  return itemsPrintedBy({ ...git, env, file: "git", label: `git ${args[0]}`, args }, separator, "keep");
}

/** Runs git for its side effects. @throws ProgramFailed */
export async function runGit(git: GitEnvironment, ...args: string[]): Promise<void> {
  for await (const _ of gitItems(git, "\n", ...args));
}

/** The first line that git prints; null when it prints nothing or ends with exit code 1. */
export async function gitLine(git: GitEnvironment, ...args: string[]): Promise<string | null> {
  return (await gitLines(git, ...args))[0] ?? null;
}

/** The lines that git prints; none when it exits with 1. */
export async function gitLines(git: GitEnvironment, ...args: string[]): Promise<readonly string[]> {
  try {
    return (await Array.fromAsync(gitItems(git, "\n", ...args))).flat();
  } catch (error) {
    if (error instanceof ProgramFailed && error.exit?.code === 1) return [];
    throw error;
  }
}

const flags = ["-r", "-z", "--no-renames", "--ignore-submodules=none"];

/**
 * The paths that differ between two commits; a renamed file appears under both names. Uses a plumbing command, which no
 * configuration changes.
 */
export function changedFiles(
  git: GitEnvironment,
  baseSha: string,
  headSha: string,
): AsyncGenerator<readonly string[]> {
  return gitItems(git, "\0", "diff-tree", "--name-only", ...flags, baseSha, headSha);
}

/** A path that differs between two commits. */
export interface ChangedFile {
  readonly path: string;
  readonly isAtBase: boolean;
  readonly isAtHead: boolean;
  /** Whether it is a submodule on either side. */
  readonly isSubmodule: boolean;
}

/** The changed paths, with whether each exists at the base and at the head. */
export async function* changedFilesOfBothSides(
  git: GitEnvironment,
  baseSha: string,
  headSha: string,
): AsyncGenerator<ChangedFile> {
  let modes: readonly string[] | null = null;
  for await (const items of gitItems(git, "\0", "diff-tree", "--raw", ...flags, baseSha, headSha)) {
    for (const item of items) {
      if (modes === null) {
        modes = item.slice(1).split(" ", 2);
        continue;
      }
      const [base, head] = modes;
      const isSubmodule = modes.includes("160000");
      yield { path: item, isAtBase: base !== "000000", isAtHead: head !== "000000", isSubmodule };
      modes = null;
    }
  }
}

/** A path of a commit, and the object there. */
export interface TreeEntry {
  readonly path: string;
  readonly sha: string;
}

/** The entries of a commit that providers look for. */
export interface Tree {
  /** The files that `isWanted` selects. */
  readonly files: readonly TreeEntry[];
  readonly symlinks: readonly TreeEntry[];
  readonly submodules: readonly TreeEntry[];
}

/** Reads the paths of a commit, and keeps wanted files, symbolic links and submodules. Paths are relative to the repository's root. */
export async function scanTree(
  git: GitEnvironment,
  sha: string,
  isWanted: (path: string) => boolean,
): Promise<Tree> {
  const tree = { files: [] as TreeEntry[], symlinks: [] as TreeEntry[], submodules: [] as TreeEntry[] };
  for await (const lines of gitItems(git, "\0", "ls-tree", "-r", "-z", "--full-tree", sha)) {
    for (const line of lines) {
      const tab = line.indexOf("\t");
      const [mode, , object = ""] = line.slice(0, tab).split(" ");
      const entry = { path: line.slice(tab + 1), sha: object };
      if (mode === "120000") tree.symlinks.push(entry);
      else if (mode === "160000") tree.submodules.push(entry);
      else if (isWanted(entry.path)) tree.files.push(entry);
    }
  }
  return tree;
}

/** A file of a commit with its content. */
export interface TextFile extends TreeEntry {
  readonly text: string;
}

/** Reads files of a commit. @throws ProgramFailed, also when a file is not here and cannot be fetched */
export async function readFiles(git: GitEnvironment, files: readonly TreeEntry[]): Promise<TextFile[]> {
  const texts = await readBlobs(git, new Set(files.map(({ sha }) => sha)));
  return files.map((file) => {
    const text = texts.get(file.sha);
    if (text === undefined) throw new Error(`git has no content for ${file.path}`);
    return { ...file, text };
  });
}

async function readBlobs(git: GitEnvironment, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (wanted.size === 0) return texts;
  const env = { ...git.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  const input = [...wanted].map((id) => `${id}\n`).join("");
  const args = ["cat-file", "--batch"];
  const chunks: Buffer[] = [];
  const program = { ...git, env, file: "git", label: "git cat-file", args, input };
  for await (const chunk of printedBy(program, "keep")) chunks.push(chunk);
  const printed = Buffer.concat(chunks);
  let position = 0;
  for (const id of wanted) {
    const start = printed.indexOf("\n", position) + 1;
    // ID blob SIZE, then SIZE bytes and a line break.
    const size = Number(printed.subarray(position, start).toString().split(" ")[2]);
    if (!Number.isInteger(size)) throw new Error(`git has no content for ${id}`);
    texts.set(id, printed.subarray(start, start + size).toString());
    position = start + size + 1;
  }
  return texts;
}
