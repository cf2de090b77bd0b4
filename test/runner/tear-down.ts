import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** What a demo keeps when something went wrong in it, to be read. */
const kept = /^trainyard-(demo|trial)-/;

/** Removes what the tests have left in the directory that `set-up.ts` made. */
export default async function tearDown(): Promise<void> {
  const directory = tmpdir();
  if (!basename(directory).startsWith("trainyard-tests-")) return;
  const names = await readdir(directory);
  for (const name of names.filter((one) => !kept.test(one)))
    await rm(join(directory, name), { recursive: true, force: true });
  if (!names.some((name) => kept.test(name))) await rm(directory, { recursive: true });
}
