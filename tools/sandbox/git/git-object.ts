import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { constants, deflateSync, inflateSync } from "node:zlib";
import { gitEnvironment } from "./run-git.ts";

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

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

interface Waiting {
  resolve: (object: GitObject | null) => void;
  reject: (error: Error) => void;
}

/**
 * Reads loose objects itself, and those of packs through one `git cat-file --batch` process. Most repositories have no packs, and starting
 * a process would take longer than all reading.
 */
export class ObjectReader {
  readonly #directory: string;
  readonly #waiting: Waiting[] = [];
  #child: ChildProcessWithoutNullStreams | null = null;
  #buffered: Buffer = Buffer.alloc(0);
  #isClosed = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Null if the object does not exist, or if `sha` is not a full object id. */
  async read(sha: string): Promise<GitObject | null> {
    // Git would interpret other text as an expression, or respond in another format.
    if (!isSha(sha)) return null;
    if (sha === EMPTY_TREE) return { type: "tree", content: Buffer.alloc(0) };
    const loose = this.#readLoose(sha);
    if (loose !== null || !this.#hasPacks()) return loose;
    return new Promise((resolve, reject) => {
      const child = this.#running();
      this.#waiting.push({ resolve, reject });
      child.stdin.write(`${sha}\n`);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end();
    await ended;
  }

  #readLoose(sha: string): GitObject | null {
    if (this.#isClosed) throw new Error("the repository is closed");
    let deflated: Buffer;
    try {
      deflated = readFileSync(join(this.#directory, "objects", sha.slice(0, 2), sha.slice(2)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
    const stored = inflateSync(deflated);
    const headerEnd = stored.indexOf(0);
    const [type] = stored.toString("utf8", 0, headerEnd).split(" ");
    return { type: type as ObjectType, content: stored.subarray(headerEnd + 1) };
  }

  #hasPacks(): boolean {
    return readdirSync(join(this.#directory, "objects/pack")).some((name) => name.endsWith(".idx"));
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#isClosed) throw new Error("the repository is closed");
    if (this.#child !== null) return this.#child;
    const child = spawn("git", ["cat-file", "--batch"], { cwd: this.#directory, env: gitEnvironment() });
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr.resume();
    child.once("close", () => {
      if (this.#child === child) this.#child = null;
      for (const one of this.#waiting.splice(0)) one.reject(new Error("git cat-file ended"));
    });
    this.#child = child;
    return child;
  }

  #receive(chunk: Buffer): void {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    for (;;) {
      const lineEnd = this.#buffered.indexOf(0x0a);
      if (lineEnd === -1) return;
      const [, type, size] = this.#buffered.toString("utf8", 0, lineEnd).split(" ");
      if (size === undefined) {
        this.#buffered = this.#buffered.subarray(lineEnd + 1);
        this.#waiting.shift()?.resolve(null);
        continue;
      }
      const end = lineEnd + 1 + Number(size);
      if (this.#buffered.length < end + 1) return;
      const content = Buffer.from(this.#buffered.subarray(lineEnd + 1, end));
      this.#buffered = this.#buffered.subarray(end + 1);
      this.#waiting.shift()?.resolve({ type: type as ObjectType, content });
    }
  }
}

let temporaryFiles = 0;

/**
 * Writes a loose object and returns its id. Rejected: `git hash-object`, which needs a process for each object. A loose object is only one
 * deflated file: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_object_storage
 */
export function writeObject(directory: string, type: ObjectType, content: Buffer): string {
  const stored = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash("sha1").update(stored).digest("hex");
  const path = join(directory, "objects", sha.slice(0, 2), sha.slice(2));
  if (existsSync(path)) return sha;
  mkdirSync(dirname(path), { recursive: true });
  // A reader must never see a partially written object.
  temporaryFiles += 1;
  const temporary = join(directory, "objects", `tmp_obj_${process.pid}_${temporaryFiles}`);
  writeFileSync(temporary, deflateSync(stored, { level: constants.Z_BEST_SPEED }), { mode: 0o444 });
  renameSync(temporary, path);
  return sha;
}
