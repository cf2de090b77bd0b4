import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { stopPostgres } from "../postgres/stop-postgres.ts";

/** The directories that a failed demo keeps for inspection. */
const kept = /^trainyard-(demo|trial)-/;

/** Removes the files that the tests left in the directory of `set-up.ts`. */
export default async function tearDown(): Promise<void> {
  await stopPostgres();
  const directory = tmpdir();
  if (!basename(directory).startsWith("trainyard-tests-")) return;
  const names = await readdir(directory);
  for (const name of names.filter((one) => !kept.test(one)))
    await rm(join(directory, name), { recursive: true, force: true });
  if (!names.some((name) => kept.test(name))) await rm(directory, { recursive: true });
}
