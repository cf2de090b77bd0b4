import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { gitEnvironment } from "./git-environment.ts";
import { isSha, type ObjectType } from "./git-object.ts";

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

interface Waiting {
  resolve: (object: GitObject | null) => void;
  reject: (error: Error) => void;
}

/** Reads objects through one `git cat-file --batch` process that lives as long as the repository. */
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
  read(sha: string): Promise<GitObject | null> {
    // Git would interpret other text as an expression, or respond in another format.
    if (!isSha(sha)) return Promise.resolve(null);
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
