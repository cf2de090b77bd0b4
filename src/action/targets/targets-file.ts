import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";

/** A file of targets for later steps of the job: one a line, or the line `ALL`. */
export class TargetsFile {
  readonly path: string;
  readonly #stream: WriteStream;

  private constructor(path: string) {
    this.path = path;
    this.#stream = createWriteStream(path);
  }

  /** @param temporary an existing directory. */
  static async create(temporary: string): Promise<TargetsFile> {
    return new TargetsFile(join(await mkdtemp(join(temporary, "trainyard-")), "targets.txt"));
  }

  async add(targets: readonly string[]): Promise<void> {
    if (targets.length > 0 && !this.#stream.write(`${targets.join("\n")}\n`))
      await once(this.#stream, "drain");
  }

  async close(): Promise<void> {
    this.#stream.end();
    await finished(this.#stream);
  }

  /** Closes the file, and replaces its content with `ALL`. */
  async closeWithAll(): Promise<void> {
    await this.close();
    await writeAll(this.path);
  }
}

/** Replaces the content of a file of targets with `ALL`. */
export async function writeAll(path: string): Promise<void> {
  await writeFile(path, "ALL\n");
}
