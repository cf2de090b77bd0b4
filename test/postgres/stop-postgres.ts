import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** How long the server may take to end. After that, it still ends by itself. */
const waitMs = 30_000;
const lookMs = 50;

/** Ends the PostgreSQL server of a run of the tests, if there is one, and deletes its directory. */
export async function stopPostgres(): Promise<void> {
  const directory = process.env.TRAINYARD_TESTS_POSTGRES;
  if (directory === undefined) return;
  const keeper = join(directory, "keeper.pid");
  if (!existsSync(keeper)) return await rm(directory, { recursive: true, force: true });
  process.kill(Number(await readFile(keeper, "utf8")), "SIGTERM");
  const until = performance.now() + waitMs;
  while (existsSync(directory) && performance.now() < until) await setTimeout(lookMs);
}
