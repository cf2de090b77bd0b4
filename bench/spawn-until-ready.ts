import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

export interface ReadyProcess extends AsyncDisposable {
  /** From the spawn to the first answer of 200. */
  readonly seconds: number;
  residentBytes(): Promise<number>;
}

interface SpawnOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** An address that answers 200 as soon as the server is ready. */
  readonly url: string;
}

const pollMs = 5;
const patienceSeconds = 60;

/** Spawns a server, and polls until it is ready. Rejects when it exits, or when it takes a minute. */
export async function spawnUntilReady(
  [command = "", ...args]: readonly string[],
  { env, cwd, url }: SpawnOptions,
): Promise<ReadyProcess> {
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const child = spawn(command, args, { env: { ...process.env, ...env }, cwd, stdio: "ignore" });
  const exit = once(child, "exit");
  while (!(await isReady(url))) {
    if (child.exitCode !== null || elapsed() > patienceSeconds) {
      child.kill("SIGKILL");
      throw new Error(`${[command, ...args].join(" ")} did not become ready`);
    }
    await sleep(pollMs);
  }
  const seconds = elapsed();
  return {
    seconds,
    residentBytes: () => residentBytes(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exit;
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

export async function residentBytes(pid: number): Promise<number> {
  const kibibytes = process.platform === "linux" ? await fromProc(pid) : await fromPs(pid);
  if (!(kibibytes > 0)) throw new Error(`the resident memory of process ${pid} cannot be read`);
  return kibibytes * 1024;
}

async function fromProc(pid: number): Promise<number> {
  const [, size] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(size);
}

async function fromPs(pid: number): Promise<number> {
  return Number((await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)])).stdout);
}
