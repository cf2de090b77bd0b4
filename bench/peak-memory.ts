import { readFile, writeFile } from "node:fs/promises";

/** Follows the resident memory of a process. Linux alone tells the most that it was since a moment. */
export class PeakMemory {
  readonly #status: string;
  readonly #clear: string;
  #before = 0;

  constructor(pid: number) {
    this.#status = `/proc/${pid}/status`;
    this.#clear = `/proc/${pid}/clear_refs`;
  }

  async begin(): Promise<void> {
    // "5" sets the peak to what is resident now. Source: proc_pid_clear_refs(5).
    await writeFile(this.#clear, "5");
    this.#before = await this.#read("VmRSS");
  }

  /** By how many megabytes it has grown at most since it began. */
  async growth(): Promise<number> {
    return (await this.#read("VmHWM")) - this.#before;
  }

  /** The most megabytes that were resident since it began. */
  peak(): Promise<number> {
    return this.#read("VmHWM");
  }

  async #read(field: "VmRSS" | "VmHWM"): Promise<number> {
    const [, kibibytes] =
      new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(await readFile(this.#status, "utf8")) ?? [];
    if (kibibytes === undefined) throw new Error(`${field} is not in ${this.#status}`);
    return (Number(kibibytes) * 1024) / 1e6;
  }
}
