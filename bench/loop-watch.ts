import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const script = pathToFileURL(join(import.meta.dirname, "watch-loop.ts"));

/** The longest holds of an event loop, in milliseconds. */
export interface LongestHolds {
  /** By the clock. Includes the time in which other processes had the processor. */
  readonly ms: number;
  /** By the processor time of the event loop's thread alone. */
  readonly ownMs: number;
}

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

  /** Returns the longest holds of the loop since the last call. */
  async longest(pid: number): Promise<LongestHolds> {
    await rm(this.#file, { force: true });
    process.kill(pid, "SIGUSR2");
    for (let tries = 0; tries < 500; tries++) {
      const text = await readFile(this.#file, "utf8").catch(() => null);
      if (text !== null) return JSON.parse(text);
      await sleep(10);
    }
    throw new Error("the service does not tell how long it holds its event loop");
  }
}
