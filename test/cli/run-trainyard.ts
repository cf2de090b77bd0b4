import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

/** In a whole run, `test/runner/set-up.ts` bundles the sources. */
export const main = process.env.TRAINYARD_MAIN ?? join(import.meta.dirname, "../../src/main.ts");

export interface Finished {
  readonly code: number | null;
  /** The signal that ended the process, if it did not exit by itself. */
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** The environment of a machine on which nothing is configured. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE };
}

/** Another user than that of the tests, and a copy of Node that this user can execute. */
export interface RunAs {
  readonly uid: number;
  readonly node: string;
}

/** The `trainyard` command as a child process, whose environment contains only the given variables. */
export class Trainyard {
  readonly child: ChildProcess;
  out = "";
  err = "";
  readonly finished: Promise<Finished>;

  /** @param command the file that Node runs, or an option of Node that `args` continue with the file */
  constructor(
    args: readonly string[],
    env: Record<string, string>,
    cwd: string,
    command: string = main,
    as: RunAs | null = null,
  ) {
    const node = as?.node ?? process.execPath;
    this.child = spawn(node, ["--disable-warning=ExperimentalWarning", command, ...args], {
      ...(as ? { uid: as.uid, gid: as.uid } : {}),
      cwd,
      env: { ...bareEnvironment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // The process has a group of its own, which shows what it leaves running.
      detached: true,
    });
    this.child.stdout?.on("data", (chunk) => {
      this.out += chunk;
    });
    this.child.stderr?.on("data", (chunk) => {
      this.err += chunk;
    });
    this.finished = new Promise((resolve) => {
      this.child.on("close", (code, signal) => resolve({ code, signal, out: this.out, err: this.err }));
    });
  }

  /** Waits until the log matches a pattern, and returns the match. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.err);
      if (match) return match;
      const ended = await Promise.race([
        this.finished,
        new Promise<null>((resolve) => setTimeout(resolve, 20, null)),
      ]);
      if (ended) throw new Error(`it ended with ${ended.code} before it said ${pattern}:\n${ended.err}`);
    }
  }

  /** Sends SIGTERM, and waits for the exit. */
  async end(): Promise<Finished> {
    this.child.kill("SIGTERM");
    return this.finished;
  }
}
