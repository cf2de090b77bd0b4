import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Benchmark } from "./benchmark.ts";
import { hostileReports } from "./hostile-reports.ts";
import { startOptions } from "./start-options.ts";
import { toRow } from "./statistics.ts";

const runs = 5;
const mostMilliseconds = 1_000;
const mostMegabytes = 150;

interface Reading {
  readonly milliseconds: number;
  readonly megabytes: number;
  /** The code of the fault; null = it was accepted as a report. */
  readonly code: string | null;
}

const about = `reports of up to 50 MB that are to do harm, until they are refused, with the options of npm start: ${Object.keys(hostileReports).join(", ")}.
hostile-NAME    milliseconds; required: at most ${mostMilliseconds}
hostile-memory  what the process grows by, of the one that takes most; required: at most ${mostMegabytes} MB
Floor: making the report.
It fails when one is taken for a report, or takes more than is required.`;

export const hostileReading: Benchmark = {
  about,
  async *measure(tell) {
    const faults: string[] = [];
    const memory: { ours: number[]; floor: number[] } = { ours: [], floor: [] };
    for (const name of Object.keys(hostileReports)) {
      const ours: Reading[] = [];
      const floors: Reading[] = [];
      for (let run = 0; run < runs; run += 1) {
        floors.push(await read(name, "floor"));
        ours.push(await read(name, "ours"));
      }
      tell(`${name} is ${ours[0]?.code}`);
      if (ours.some(({ code }) => code === null)) faults.push(`${name} was taken for a report`);
      const row = toRow(`hostile-${name}`, "ms", {
        values: ours.map(({ milliseconds }) => milliseconds),
        floors: floors.map(({ milliseconds }) => milliseconds),
      });
      if (row.value > mostMilliseconds) faults.push(`${name} took ${row.value} ms`);
      yield row;
      memory.ours.push(Math.max(...ours.map(({ megabytes }) => megabytes)));
      memory.floor.push(Math.max(...floors.map(({ megabytes }) => megabytes)));
    }
    const most = Math.max(...memory.ours);
    if (most > mostMegabytes) faults.push(`one took ${most.toFixed(0)} MB`);
    yield toRow("hostile-memory", "MB", { values: [most], floors: [Math.max(...memory.floor)] });
    if (faults.length > 0) throw new Error(faults.join("; "));
  },
};

/** Reads a report in a separate process. */
async function read(name: string, how: "ours" | "floor"): Promise<Reading> {
  const script = join(import.meta.dirname, "hostile-reader.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [...startOptions, script, name, how]);
  return JSON.parse(stdout) as Reading;
}
