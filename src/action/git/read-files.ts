import { printedBy } from "../child-process.ts";
import type { GitEnvironment } from "./git.ts";
import type { TreeEntry } from "./tree.ts";

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
