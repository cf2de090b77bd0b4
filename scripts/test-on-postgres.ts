/** `npm run test:postgres`: plays all scenarios on PostgreSQL, or those that the arguments name. */
import { spawnSync } from "node:child_process";

const names = process.argv.slice(2);
const { status } = spawnSync("npm", ["test", "--", ...(names.length > 0 ? names : ["test/scenarios"])], {
  env: { ...process.env, TRAINYARD_TEST_DATABASE: "postgres" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
