import { parseArgs } from "node:util";
import { readOptions, wholeOption } from "../../command-options.ts";

import { type GrowthSample, megabytes } from "./judge-growth.ts";
import { runEndurance } from "./run-endurance.ts";

const usage = `Usage: npm run endurance -- [options]

Merges pull requests on the local GitHub, wave after wave, and measures after each wave what the service keeps: memory after a
garbage collection, file handles, rows of each table, and branches. What grows without a bound, or faster than the number of
pull requests, is a violation. The default is what a team with 100 pull requests an hour merges in 24 hours.

  --prs N    how many pull requests (default 2400)
  --wave N   how many are in the queue at the same time (default 40)
  --json     print the samples as one line of JSON
  --help     print this`;

const known = {
  prs: { type: "string", default: "2400" },
  wave: { type: "string", default: "40" },
  json: { type: "boolean", default: false },
} as const;

/** `trainyard endurance`. Returns the exit code. */
export async function endurance(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "endurance", usage, known, parse });
  if (typeof options === "number") return options;
  const onSample = (sample: GrowthSample, seconds: number) => {
    const { ended, heap, resident, fileHandles, database } = sample;
    console.error(
      `${ended} pull requests: heap ${megabytes(heap)}, resident ${megabytes(resident)}, ${fileHandles} file handles, database ${megabytes(database)}; ${seconds.toFixed(1)} s`,
    );
  };
  const { samples, violations } = await runEndurance({ ...options, onSample });
  if (options.json)
    console.log(JSON.stringify(samples.map((one) => ({ ...one, rows: Object.fromEntries(one.rows) }))));
  const last = samples.at(-1);
  for (const [table, rows] of last?.rows ?? []) if (rows > 0) console.error(`${table}: ${rows} rows`);
  for (const violation of violations) console.error(`WRONG: ${violation}`);
  console.error(`${last?.ended ?? 0} pull requests: ${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

function parse(argv: readonly string[]) {
  const { values } = parseArgs({ args: [...argv], options: known });
  return {
    pullRequests: wholeOption("prs", values.prs, 2, 1_000_000),
    wave: wholeOption("wave", values.wave, 1, 1_000),
    json: values.json,
  };
}
