import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import packageJson from "../package.json" with { type: "json" };
import { freePort } from "../src/cli/free-port.ts";
import { startSandbox } from "../tools/sandbox/start-sandbox.ts";
import type { Benchmark } from "./benchmark.ts";
import { spawnUntilReady } from "./spawn-until-ready.ts";
import { toRow } from "./statistics.ts";

const runs = 5;
const idleMs = 3_000;
const bareServer = `require("node:http").createServer((_, response) => response.end()).listen(process.env.PORT, "127.0.0.1")`;

const about = `a start of the service with credentials and an empty database, by the command of npm start, without npm.
start               seconds from spawning it until /readyz answers 200; required: at most 2
start-memory        resident memory ${idleMs / 1000} seconds later; required: at most 150 MB
start-first, start-first-memory  the same while Node's compile cache is empty
Floor: the same of node -e with a bare node:http server.`;

interface Start {
  readonly seconds: number;
  readonly megabytes: number;
}

export const start: Benchmark = {
  about,
  async *measure(tell) {
    const sandbox = await startSandbox();
    const service = serveCommand();
    const first: Start[] = [];
    const later: Start[] = [];
    const bare: Start[] = [];
    try {
      await using cache = await mkdtempDisposable(join(tmpdir(), "trainyard-bench-"));
      for (let run = 0; run <= runs; run++) {
        tell(run === 0 ? "warm-up" : `run ${run} of ${runs}`);
        await using empty = await mkdtempDisposable(join(tmpdir(), "trainyard-bench-"));
        const floor = await observe(["--eval", bareServer], {});
        const one = await observe(service, { ...sandbox.env, NODE_COMPILE_CACHE: empty.path });
        const other = await observe(service, { ...sandbox.env, NODE_COMPILE_CACHE: cache.path });
        if (run === 0) continue;
        bare.push(floor);
        first.push(one);
        later.push(other);
      }
    } finally {
      await sandbox.close();
    }
    for (const [name, starts] of [
      ["start", later],
      ["start-first", first],
    ] as const) {
      yield row(name, "s", "seconds", starts);
      yield row(`${name}-memory`, "MB", "megabytes", starts);
    }

    function row(name: string, unit: string, figure: keyof Start, starts: readonly Start[]) {
      const of = (some: readonly Start[]) => some.map((one) => one[figure]);
      return toRow(name, unit, { values: of(starts), floors: of(bare) });
    }
  },
};

/** Returns the arguments of Node in `npm start`, with an absolute path: the process runs in a directory without an `.env`. */
function serveCommand(): readonly string[] {
  const [, ...words] = packageJson.scripts.start.split(" ");
  const root = join(import.meta.dirname, "..");
  return words.map((word) => (word.endsWith(".ts") ? join(root, word) : word));
}

async function observe(args: readonly string[], more: Readonly<Record<string, string>>): Promise<Start> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "trainyard-bench-"));
  const port = await freePort();
  const env = {
    ...more,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(directory.path, "trainyard.db")}`,
  };
  const url = `http://127.0.0.1:${port}/readyz`;
  await using server = await spawnUntilReady([process.execPath, ...args], { env, cwd: directory.path, url });
  await sleep(idleMs);
  return { seconds: server.seconds, megabytes: (await server.residentBytes()) / 1e6 };
}
