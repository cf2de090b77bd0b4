import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printFailure } from "./print-json.ts";

/** Marks the worker. The value is the worker's directory. */
const marker = "TRAINYARD_OWN_GROUP";
/** How long a stopped command that needs time may take. It takes less than a second on a machine that is not busy. */
const graceMs = 10_000;
/**
 * The time within which a second signal does not count: `npm run` repeats a signal that the terminal has already sent to every process of
 * the command.
 */
const echoMs = 400;

/** What a worker reports: that its command needs time to end, and the exit code of its stopped command. */
type Message = "needs time" | { readonly exitCode: number };

interface Command {
  /**
   *
   *
   * @param stop aborts at the first signal, if the command needs time
   *
   * @param needTime must be called as soon as a signal must not end the command at once
   */
  run(stop: AbortSignal, needTime: () => void): Promise<number>;
  /** Printed when the first signal ends the command at once. */
  readonly farewell: string;
}

/**
 * Runs a command in a process group of its own, with a temporary directory of its own. Without that, Ctrl-C in a terminal would send SIGINT
 * to every process of its group, and git and the service would end while the command still needs them. The first signal ends the group at
 * once, or aborts the `stop` of a command that needs time; the second ends it at once in any case. Afterwards no process of the group is
 * left, and no directory, except when the command failed by itself. Returns the exit code.
 */
export function runInOwnGroup(command: Command): Promise<number> {
  const directory = process.env[marker];
  if (directory !== undefined && process.connected) return beWorker(directory, command);
  return superviseWorker(command.farewell);
}

async function superviseWorker(farewell: string): Promise<number> {
  // From here on, a signal finds everything that has to be removed.
  const stopper = new Stopper(farewell);
  const directory = createDirectory();
  if (directory === null) return 2;
  const worker = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      [marker]: directory,
      TMPDIR: directory,
      // Node keeps its cache in TMPDIR by default.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(tmpdir(), "node-compile-cache"),
    },
  });
  stopper.supervise(worker);
  process.on("SIGWINCH", () => worker.kill("SIGWINCH"));
  const [code] = (await once(worker, "exit")) as [number | null];
  endGroup(worker);
  removeDirectory(directory, code === 0 || stopper.isStopped);
  return stopper.exitCode ?? code ?? 1;
}

/** Returns null, and says why, if the place for temporary files cannot be used. */
function createDirectory(): string | null {
  try {
    return mkdtempSync(join(tmpdir(), "trainyard-run-"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const next = "Set TMPDIR to a directory that can be written to, then start this again.";
    const problem = `No directory can be created in ${tmpdir()} (${code}). ${next}`;
    printFailure("CANNOT_START", problem, process.argv.includes("--json"));
    return null;
  }
}

/** Turns signals into the end of a worker. */
class Stopper {
  #worker: ChildProcess | null = null;
  readonly #farewell: string;
  #needsTime = false;
  #stoppedAt: number | null = null;
  /** Null = the worker's own. */
  exitCode: number | null = null;

  constructor(farewell: string) {
    this.#farewell = farewell;
    // Without a handler, the hangup of the terminal would end this process but not the group.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => this.#stop());
  }

  supervise(worker: ChildProcess): void {
    this.#worker = worker;
    worker.on("message", (message: Message) => {
      if (message === "needs time") this.#needsTime = true;
      else this.#end(message.exitCode);
    });
  }

  get isStopped(): boolean {
    return this.#stoppedAt !== null;
  }

  #stop(): void {
    const now = performance.now();
    if (this.#stoppedAt === null) {
      this.#stoppedAt = now;
      if (!this.#needsTime) return this.#end(0, this.#farewell);
      this.#worker?.send("stop", () => {});
      setTimeout(() => this.#end(1, "It did not stop in time, so it was killed."), graceMs).unref();
    } else if (now - this.#stoppedAt > echoMs) this.#end(130, "Ended at once.");
  }

  #end(exitCode: number, text?: string): void {
    if (this.exitCode !== null) return;
    this.exitCode = exitCode;
    if (text !== undefined) console.error(text);
    if (this.#worker) endGroup(this.#worker);
  }
}

/** The worker leads its group, so the group has its id. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A command that failed by itself may leave files that explain the failure. */
function removeDirectory(directory: string, withContent: boolean): void {
  // Ended processes may still write for a moment.
  if (withContent) return rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
  try {
    rmdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
  }
}

async function beWorker(directory: string, command: Command): Promise<number> {
  delete process.env[marker];
  const stop = new AbortController();
  const orphaned = () => endOrphan(directory);
  process.on("disconnect", orphaned);
  process.on("message", () => stop.abort("SIGINT"));
  const code = await command.run(stop.signal, () => send("needs time"));
  if (stop.signal.aborted) {
    // Open handles of a stopped command delay its exit, and so does Node's compile cache. So the group is killed from outside.
    send({ exitCode: code });
    await new Promise(() => {});
  }
  process.off("disconnect", orphaned);
  if (process.connected) process.disconnect();
  return code;
}

/** A message that cannot be sent needs no answer: the supervising process was killed, and `disconnect` follows. */
function send(message: Message): void {
  process.send?.(message, undefined, undefined, () => {});
}

/**
 * Ends the group and removes the directory after the supervising process was killed. A process outside the group does it, because running
 * processes of the group may write into the directory while it is being removed.
 */
function endOrphan(directory: string): void {
  const ending = `
    process.kill(-${process.pid}, "SIGKILL");
    require("node:fs").rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });`;
  const options = { detached: true, stdio: "ignore", cwd: "/", env: {} } as const;
  spawn(process.execPath, ["-e", ending, directory], options);
}
