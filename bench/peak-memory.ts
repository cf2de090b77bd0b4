import { readFile, writeFile } from "node:fs/promises";

/** Follows the resident memory of a process. Only Linux reports the peak since a given moment. */
export class PeakMemory {
  readonly #status: string;
  readonly #clear: string;
  #before = 0;

  constructor(pid: number) {
    this.#status = `/proc/${pid}/status`;
    this.#clear = `/proc/${pid}/clear_refs`;
  }

  async begin(): Promise<void> {
    // "5" resets the peak to the current resident memory. Source: proc_pid_clear_refs(5).
    await writeFile(this.#clear, "5");
    this.#before = await this.#read("VmRSS");
  }

  /** Returns the maximum growth since `begin`, in megabytes. */
  async growth(): Promise<number> {
    return (await this.#read("VmHWM")) - this.#before;
  }

  /** Returns the peak resident memory since `begin`, in megabytes. */
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
