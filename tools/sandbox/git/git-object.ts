/**
 * Git's objects as the sandbox reads and writes them. Source of the formats:
 * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
 */

export type ObjectType = "blob" | "tree" | "commit" | "tag";

/** The author or committer of a commit, with the time; `offset` has git's format, such as `+0200`. */
export interface Signature {
  name: string;
  email: string;
  date: Date;
  offset?: string;
}

export interface Commit {
  sha: string;
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
}

export interface TreeEntry {
  /** `100644`, `100755`, `120000`, `160000` (a submodule) or `40000` (a tree). */
  mode: string;
  name: string;
  sha: string;
}

export const ZERO_SHA = "0".repeat(40);
/** The tree without entries. Git knows it even when it was never written. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export const isSha = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);
export const isTree = (entry: TreeEntry): boolean => entry.mode === "40000";

const SIGNATURE = /^(.*?) ?<([^>]*)> (\d+) ([+-]\d{4})$/;

function parseSignature(text: string): Signature {
  const [, name = "", email = "", seconds = "0", offset = "+0000"] = SIGNATURE.exec(text) ?? [];
  return { name, email, date: new Date(Number(seconds) * 1000), offset };
}

const formatSignature = ({ name, email, date, offset = "+0000" }: Signature): string =>
  `${name.replace(/[<>\n]/g, "")} <${email.replace(/[<>\n]/g, "")}> ${Math.floor(date.getTime() / 1000)} ${offset}`;

export function parseCommit(sha: string, content: Buffer): Commit {
  const text = content.toString("utf8");
  const headerEnd = text.indexOf("\n\n");
  const header = headerEnd === -1 ? text : text.slice(0, headerEnd);
  const commit: Commit = {
    sha,
    tree: "",
    parents: [],
    author: parseSignature(""),
    committer: parseSignature(""),
    message: headerEnd === -1 ? "" : text.slice(headerEnd + 2),
  };
  for (const line of header.split("\n")) {
    const space = line.indexOf(" ");
    const value = line.slice(space + 1);
    const key = line.slice(0, space);
    if (key === "tree") commit.tree = value;
    else if (key === "parent") commit.parents.push(value);
    else if (key === "author") commit.author = parseSignature(value);
    else if (key === "committer") commit.committer = parseSignature(value);
  }
  return commit;
}

export function formatCommit(commit: Omit<Commit, "sha">): Buffer {
  const header = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(commit.author)}`,
    `committer ${formatSignature(commit.committer)}`,
  ];
  return Buffer.from(`${header.join("\n")}\n\n${commit.message}`, "utf8");
}

export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const zero = content.indexOf(0, space);
    entries.push({
      mode: content.toString("latin1", at, space),
      name: content.toString("utf8", space + 1, zero),
      sha: content.toString("hex", zero + 1, zero + 21),
    });
    at = zero + 21;
  }
  return entries;
}

export function formatTree(entries: readonly TreeEntry[]): Buffer {
  // Git sorts a directory as if its name ended in a slash.
  const key = (entry: TreeEntry): Buffer => Buffer.from(isTree(entry) ? `${entry.name}/` : entry.name);
  const sorted = [...entries].sort((a, b) => Buffer.compare(key(a), key(b)));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, sha }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, "hex")]),
  );
}
