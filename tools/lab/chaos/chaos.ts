import { readOptions } from "../../command-options.ts";
import { databases } from "../crash/open-database.ts";
import { known, parseChaosOptions, usage } from "./chaos-options.ts";
import { type ChaosRun, runChaos } from "./run-chaos.ts";

/** `trainyard chaos`: everything around the service fails at once. Returns the exit code. */
export async function chaos(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "chaos", usage, known, parse: parseChaosOptions });
  if (typeof options === "number") return options;
  const { from, prs, json } = options;
  const until = performance.now() + options.minutes * 60_000;
  const failed: number[] = [];
  let seed = from;
  do {
    const run = await runChaos({
      ...{ seed, prs, configuration: options.configuration },
      database: options.database ?? databases[seed % databases.length] ?? "sqlite",
      ...{ kills: Math.ceil(prs / 5), concurrency: 6, patienceMs: 300_000 },
      progress: (text) => console.error(`  seed ${seed}, ${text}`),
    });
    console.error(renderRun(run));
    if (json) console.log(JSON.stringify(run));
    if (run.violations.length > 0) failed.push(seed);
    seed += 1;
  } while (performance.now() < until && (options.seeds === null || seed < from + options.seeds));
  console.error(
    `\n${seed - from} runs: ${failed.length === 0 ? "no violations" : `violations with the seeds ${failed.join(", ")}`}.`,
  );
  return failed.length === 0 ? 0 : 1;
}

/** One line for the run, and one for each violation. */
function renderRun(run: ChaosRun): string {
  const { seed, database, configuration, kills, clockJumps, operations, result, violations } = run;
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  const store = Object.entries(run.storeFaults).map(([name, count]) => `${name} ${count}`);
  const ends = result
    ? `${result.merged} merged, ${result.failed} failed, ${result.cancelled} cancelled in ${result.seconds} s`
    : "broke off";
  const line =
    `seed ${seed}, ${database}, ${configuration}: ${ends}; ${sum(result?.faults ?? {})} faults of GitHub, ` +
    `${sum(run.storeFaults)} of the database (${store.sort().join(", ")}), ${clockJumps} clock jumps, ${kills} kills; ` +
    `${operations} requests; ${violations.length} violations`;
  return [line, ...violations.map((violation) => `  WRONG: ${violation}`)].join("\n");
}
