import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Tokens } from "../../../src/service/access/tokens.ts";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/** A test can set this to a bundle, which starts faster. */
const main = process.env.TRAINYARD_MAIN ?? join(import.meta.dirname, "../../../src/main.ts");
const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8")) as {
  scripts: { start: string };
};
const node = [process.execPath, ...scripts.start.split(" ").filter((word) => word.startsWith("-")), main];
const readyTimeoutMs = 300_000;

/** Trainyard as the laboratory uses it: one process, or several behind one address. */
export interface Service {
  readonly url: string;
  /** The number of processes that were started so far. */
  readonly starts: number;
  /** Resolves when it is ready. Rejects with the end of its log if it is not ready within two minutes. */
  start(): Promise<void>;
  /** Ends a process as a power failure would. The next `start` replaces it. */
  kill(): Promise<void>;
  /** Ends gracefully, for good. */
  stop(): Promise<void>;
  /** Throws when a process ended unexpectedly. */
  check(): void;
}

/** The service as `npm start` runs it: a separate process, which can be killed and restarted. */
export class ServiceProcess implements Service {
  readonly #env: Record<string, string>;
  readonly #logFile: string;
  #child: ChildProcess | null = null;
  #stopping = false;
  #isOver = false;
  starts = 0;

  constructor(env: Record<string, string>, logFile: string) {
    this.#env = env;
    this.#logFile = logFile;
  }

  /** @throws when the process is not running */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error("the service is not running");
    return this.#child.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#env.PORT}`;
  }

  /** Whether the process has been started and has not ended. */
  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when the service is ready. Rejects with the end of its log if it is not ready within five minutes. */
  async start(): Promise<void> {
    if (this.#isOver) throw new Error("the service was stopped for good");
    const [command = "", ...args] = node;
    this.#stopping = false;
    const child = spawn(command, [...args, "serve"], {
      env: { ...process.env, ...this.#env, LOG_LEVEL: "info" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    this.starts += 1;
    child.stderr?.pipe(createWriteStream(this.#logFile, { flags: "a" }));
    const deadline = Date.now() + readyTimeoutMs;
    const listens = watchFor(child, "Trainyard is listening");
    // Another service may respond on this port, so the child's log must confirm that it listens.
    while (!listens() || !(await this.#isReady())) {
      if (!this.isRunning || Date.now() > deadline) throw new Error(await this.#lastWords());
      await sleep(25);
    }
  }

  /** Ends the process as a power failure would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Ends the process gracefully, for good. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#end("SIGTERM");
  }

  /** Throws when the process ended unexpectedly. */
  check(): void {
    if (this.#child && this.#child.exitCode !== null && !this.#stopping) {
      throw new Error(`the service ended by itself with code ${this.#child.exitCode}; see ${this.#logFile}`);
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || !this.isRunning) return;
    this.#stopping = true;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`)).ok;
    } catch {
      return false;
    }
  }

  async #lastWords(): Promise<string> {
    const log = await readFile(this.#logFile, "utf8").catch(() => "");
    return `the service did not become ready:\n${log.split("\n").slice(-15).join("\n")}`;
  }
}

/** Returns a function that tells whether the process has logged this text since the call. */
function watchFor({ stderr }: ChildProcess, text: string): () => boolean {
  let tail = "";
  let isFound = false;
  const look = (chunk: Buffer) => {
    tail = tail.slice(-text.length) + chunk;
    isFound = tail.includes(text);
    if (isFound) stderr?.off("data", look);
  };
  stderr?.on("data", look);
  return () => isFound;
}

/** The configuration of the demo's service. */
export function serviceEnvironment(
  sandbox: Sandbox,
  port: number,
  databaseUrl: string,
): Record<string, string> {
  return {
    ...sandbox.env,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    LOG_FORMAT: "json",
    TRAINYARD_PUBLIC_URL: `http://127.0.0.1:${port}`,
    TRAINYARD_DASHBOARD: "public",
    // All people in the demo poll several times a second.
    TRAINYARD_RATE_LIMIT: "0",
    // The demo takes seconds, so the service polls more often than with GitHub.
    TRAINYARD_RECONCILE_MS: "2500",
    TRAINYARD_PUBLISH_MS: "400",
    TRAINYARD_MERGEABILITY_MS: "60",
    TRAINYARD_LEASE_MS: "1500",
  };
}

/** Creates an API token of the organisation, for the service on this database. */
export async function issueToken(
  databaseUrl: string,
  organisation: string,
  scope: "admin" | "tests:upload",
): Promise<string> {
  const store = await openStore(databaseUrl);
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  const { token } = await tokens.create({
    organisation,
    name: `demo, ${scope}`,
    scopes: [scope],
    expiresAt: null,
  });
  await store.close();
  return token;
}
