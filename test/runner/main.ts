/** `npm test` runs the tests of behaviour, `npm run test:long` the long proofs; with paths or patterns, those of the tests they name. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildArgv, run } from "jest";

const long = "--long";
const given = process.argv.slice(2).filter((one) => one !== long);
const isLong = process.argv.includes(long);
const { _: patterns } = await buildArgv(given);

if (spawnSync("git", ["--version"]).error) {
  console.error("The tests need git, and this machine has none: install it, and run them again.");
  process.exit(1);
}
process.env.NODE_ENV ??= "test";
/** Which files Jest looks for (`jest.config.ts`). */
process.env.TRAINYARD_TESTS = isLong ? "long" : patterns.length > 0 ? "all" : "behaviour";
await run(given, join(import.meta.dirname, "../.."));
