import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Benchmark } from "./benchmark.ts";
import { startOptions } from "./start-options.ts";
import { toRow } from "./statistics.ts";

const runs = 5;

interface Reading {
  readonly milliseconds: number;
  readonly megabytes: number;
}

const about = `a JUnit report of 50 MB and 167,500 tests, read in pieces of 64 kB with the options of npm start.
report              milliseconds, ids of tests that are all new included; required: at most 1,000
report-memory       what the process grows by; required: at most 100 MB
Floor: the XML parser alone, which keeps nothing.`;

export const report: Benchmark = {
  about,
  async *measure(tell) {
    const ours: Reading[] = [];
    const parser: Reading[] = [];
    for (let run = 0; run <= runs; run++) {
      tell(run === 0 ? "warm-up" : `run ${run} of ${runs}`);
      const floor = await readReport("parser");
      const one = await readReport("ours");
      if (run === 0) continue;
      parser.push(floor);
      ours.push(one);
    }
    for (const [name, unit, figure] of [
      ["report", "ms", "milliseconds"],
      ["report-memory", "MB", "megabytes"],
    ] as const) {
      const of = (some: readonly Reading[]) => some.map((one) => one[figure]);
      yield toRow(name, unit, { values: of(ours), floors: of(parser) });
    }
  },
};

/** Reads the report once, in a separate process. */
export async function readReport(how: "ours" | "parser"): Promise<Reading> {
  const script = join(import.meta.dirname, "report-reader.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [...startOptions, script, how]);
  return JSON.parse(stdout) as Reading;
}
