import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const script = pathToFileURL(join(import.meta.dirname, "watch-loop.ts"));

/** Measures how long a service holds its event loop. It measures inside the service, so that a slow client does not count. */
export class LoopWatch {
  readonly #file: string;
  /** The environment that the service must be started with. */
  readonly env: Readonly<Record<string, string>>;

  constructor(directory: string) {
    this.#file = join(directory, "longest-hold");
    this.env = {
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${script.href}`,
      LOOP_WATCH_FILE: this.#file,
    };
  }

  /** Returns the longest hold of the loop since the last call, in milliseconds. */
  async longest(pid: number): Promise<number> {
    await rm(this.#file, { force: true });
    process.kill(pid, "SIGUSR2");
    for (let tries = 0; tries < 500; tries++) {
      const text = await readFile(this.#file, "utf8").catch(() => null);
      if (text !== null) return Number(text);
      await sleep(10);
    }
    throw new Error("the service does not tell how long it holds its event loop");
  }
}
