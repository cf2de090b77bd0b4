import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { constants, deflateSync, inflateSync } from "node:zlib";
import { EMPTY_TREE, isSha, type ObjectType } from "./git-object.ts";
import { gitEnvironment } from "./run-git.ts";

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

interface Waiting {
  resolve: (object: GitObject | null) => void;
  reject: (error: Error) => void;
}

/**
 * Reads loose objects itself, and those of packs through one `git cat-file --batch` process. Most repositories have no packs: to
 * start a process for them would take longer than everything that is read.
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
 * Writes a loose object and returns its id. `git hash-object` would need a process for each object, and a loose object is only
 * one deflated file:
 * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_object_storage
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
