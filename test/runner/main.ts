/**
 * `npm test` runs the tests of behaviour, `npm run test:long` the long proofs and `npm run test:postgres` the scenarios on
 * PostgreSQL. With paths or patterns, `npm test` and `npm run test:postgres` run whatever these name.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildArgv, run } from "jest";

const [kind, ...options] = process.argv.slice(2);
const { _: patterns } = await buildArgv(options);

if (spawnSync("git", ["--version"]).error) {
  console.error("The tests need git, and this machine has none: install it, and run them again.");
  process.exit(1);
}
const isNamed = patterns.length > 0;
process.env.NODE_ENV ??= "test";
if (kind === "postgres") process.env.TRAINYARD_TEST_DATABASE = "postgres";
/** Which files Jest looks for (`jest.config.ts`). */
process.env.TRAINYARD_TESTS = isNamed && kind !== "long" ? "all" : kind;
await run(options, join(import.meta.dirname, "../.."));
