import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The line that a server of this folder prints when it listens. */
export interface Announcement {
  readonly url: string;
}

export interface ServerProcess<A extends Announcement> extends AsyncDisposable {
  readonly announced: A;
}

/** The command that also starts the service. */
export const node = [process.execPath, "--disable-warning=ExperimentalWarning"] as const;

/** Runs a server of this folder in a separate process, so that it shares no event loop with the measuring process. */
export async function startServerProcess<A extends Announcement>(
  file: string,
  ...args: readonly string[]
): Promise<ServerProcess<A>> {
  const [command, ...options] = node;
  const child = spawn(command, [...options, join(import.meta.dirname, file), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const line = once(createInterface({ input: child.stdout }), "line");
  const announced = await Promise.race([line.then(([text]) => JSON.parse(text)), exit.then(() => null)]);
  if (announced === null) throw new Error(`${file} ended before it listened, with code ${child.exitCode}`);
  return {
    announced,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exit;
    },
  };
}
