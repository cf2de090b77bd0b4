/** `npm run bench`: measures Trainyard against the same work without it. */
import { parseArgs } from "node:util";
import { action } from "./action.ts";
import type { Benchmark, Row } from "./benchmark.ts";
import { claim } from "./claim.ts";
import { comments } from "./comments.ts";
import { endToEnd } from "./end-to-end.ts";
import { hostile } from "./hostile.ts";
import { hostileReading } from "./hostile-reading.ts";
import { ingest } from "./ingest.ts";
import { loadQueue } from "./load-queue.ts";
import { metrics } from "./metrics.ts";
import { outage } from "./outage.ts";
import { pages } from "./pages.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { simulate } from "./simulate.ts";
import { start } from "./start.ts";
import { submit } from "./submit.ts";
import { submitPostgres } from "./submit-postgres.ts";
import { targets } from "./targets.ts";
import { testReads } from "./test-reads.ts";

const benchmarks: Readonly<Record<string, Benchmark>> = {
  submit,
  "submit-postgres": submitPostgres,
  plan,
  load: loadQueue,
  start,
  comments,
  claim,
  report,
  hostile,
  "hostile-reports": hostileReading,
  ingest,
  targets,
  "test-reads": testReads,
  pages,
  metrics,
  "end-to-end": endToEnd,
  simulate,
  outage,
  action,
};

const usage = `Usage: npm run bench -- [NAME...] [--json]

Without a name, all of them run, one after the other:

${Object.entries(benchmarks)
  .map(([name, { about }]) => `  ${name.padEnd(11)} ${about.replaceAll("\n", `\n${" ".repeat(14)}`)}`)
  .join("\n\n")}

value and floor are medians over the runs, after a warm-up; ratio is value / floor. The percentiles are of single
requests in milliseconds where the unit is a rate, else of the runs. --json prints each row as one line of JSON.`;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parse(argv);
  if (typeof parsed === "string") {
    console.error(`${parsed}\n\n${usage}`);
    return 2;
  }
  if (parsed.help) {
    console.error(usage);
    return 0;
  }
  let failures = 0;
  for (const name of parsed.names) {
    console.error(`\n${name}: ${benchmarks[name]?.about ?? ""}`);
    try {
      await measure(name, parsed.json);
    } catch (error) {
      failures += 1;
      console.error(`\n${name} failed:`, error);
    }
  }
  return failures === 0 ? 0 : 1;
}

async function measure(name: string, json: boolean): Promise<void> {
  const rows = benchmarks[name]?.measure((progress) => console.error(`  … ${progress}`)) ?? [];
  for await (const row of rows) {
    console.error(describe(row));
    if (json) console.log(JSON.stringify(row));
  }
}

function parse(argv: readonly string[]): string | { names: string[]; json: boolean; help: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    const unknown = positionals.filter((name) => !Object.hasOwn(benchmarks, name));
    if (unknown.length > 0) return `There is no benchmark ${unknown.map((name) => `"${name}"`).join(", ")}.`;
    return { ...values, names: positionals.length > 0 ? positionals : Object.keys(benchmarks) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function describe({ name, value, unit, floor, ratio, runs, p50, p95, p99 }: Row): string {
  const spread = `p50 ${p50}, p95 ${p95}, p99 ${p99}${unit.endsWith("/s") ? " ms" : ""}`;
  return `  ${name}: ${value} ${unit}, floor ${floor}, ratio ${ratio}; ${spread}; ${runs} runs`;
}
