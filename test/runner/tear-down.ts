import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename } from "node:path";

/** Removes what the tests have left in the directory that `set-up.ts` made. */
export default async function tearDown(): Promise<void> {
  if (basename(tmpdir()).startsWith("trainyard-tests-")) await rm(tmpdir(), { recursive: true, force: true });
}
