import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Measures how long `/healthz` takes, in a separate process: the process that sends the load would measure its own delays. */
export class HealthWatch {
  readonly #child: ChildProcess;
  readonly #output: Promise<string>;

  private constructor(child: ChildProcess, output: Promise<string>) {
    this.#child = child;
    this.#output = output;
  }

  static async begin(serviceUrl: string): Promise<HealthWatch> {
    const script = join(import.meta.dirname, "poll-health.ts");
    const options = ["--disable-warning=ExperimentalWarning", script, `${serviceUrl}/healthz`];
    const child = spawn(process.execPath, options, { stdio: ["pipe", "pipe", "inherit"] });
    const watch = new HealthWatch(child, text(child.stdout));
    await once(child.stdout, "data");
    return watch;
  }

  /** Returns the milliseconds of each answer. */
  async end(): Promise<readonly number[]> {
    this.#child.stdin?.end();
    const [, latencies = ""] = (await this.#output).split("\n");
    if (latencies === "") throw new Error("/healthz stopped answering");
    return JSON.parse(latencies);
  }
}
