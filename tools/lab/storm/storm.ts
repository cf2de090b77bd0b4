import { readOptions } from "../../command-options.ts";
import { runStorm, type StormRun } from "./run-storm.ts";
import { known, parseStormOptions, usage } from "./storm-options.ts";

/** `trainyard storm`: runs the demo under faults, for many seeds. Returns the exit code. */
export async function storm(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "storm", usage, known, parse: parseStormOptions });
  if (typeof options === "number") return options;
  const runs: StormRun[] = [];
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    const progress = (text: string) => console.error(`  seed ${seed}, ${text}`);
    const run = await runStorm(options, seed, { progress });
    runs.push(run);
    console.error(renderRun(run));
    if (options.json) console.log(JSON.stringify(toJson(run)));
  }
  const summary = summarize(runs);
  console.error(
    `\n${summary.runs} runs, ${summary.prs} pull requests, ${summary.faults} faults, ${summary.kills} kills, ${summary.seconds} s: ` +
      `${summary.violations} violations${summary.violations > 0 ? ` with the seeds ${summary.failedSeeds.join(", ")}` : ""}.`,
  );
  if (options.json) console.log(JSON.stringify(summary));
  return summary.violations === 0 ? 0 : 1;
}

/** One line for the run, and one for each violation. */
function renderRun({ seed, configuration, kills, result, violations }: StormRun): string {
  const wrong = violations.map((violation) => `  WRONG: ${violation}`);
  if (!result) return [`seed ${seed}, ${configuration}: broke off`, ...wrong].join("\n");
  const { prs, merged, failed, cancelled, seconds, faults } = result;
  const kinds = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
  const line =
    `seed ${seed}, ${configuration}: ${prs} pull requests, ${merged} merged, ${failed} failed, ${cancelled} cancelled; ` +
    `${total(faults)} faults (${kinds.sort().join(", ")}); ${kills} kills; ${seconds} s; ${violations.length} violations`;
  return [line, ...wrong].join("\n");
}

/** The output of `--json` for a run. */
function toJson({ seed, configuration, kills, result, violations }: StormRun) {
  return { seed, configuration, kills, ...(result ?? {}), violations };
}

function summarize(runs: readonly StormRun[]) {
  const sum = (of: (run: StormRun) => number) => runs.reduce((all, run) => all + of(run), 0);
  return {
    summary: true,
    runs: runs.length,
    prs: sum(({ result }) => result?.prs ?? 0),
    faults: sum(({ result }) => total(result?.faults ?? {})),
    kills: sum(({ kills }) => kills),
    seconds: Math.round(sum(({ result }) => result?.seconds ?? 0)),
    violations: sum(({ violations }) => violations.length),
    failedSeeds: runs.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed),
  };
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);
