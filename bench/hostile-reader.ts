import { defaultReportLimits } from "../src/flaky/report/fault.ts";
import { createReportReader } from "../src/flaky/report/read-report.ts";
import { hostileReports } from "./hostile-reports.ts";

/** Reads a hostile report, or only creates it (`floor`), and prints the time and memory that took. Runs in a separate process. */
const [name = "", how] = process.argv.slice(2);
const pieces = hostileReports[name];
if (!pieces) throw new Error(`there is no hostile report ${name}`);
// Reads a first report, so that the code is compiled as in a service that has read reports before.
read(["<testsuite name='a'><testcase name='b'/></testsuite>"]);
const megabytesBefore = process.resourceUsage().maxRSS / 1024;
const startedAt = performance.now();
const code = how === "floor" ? make() : read(pieces());
console.log(
  JSON.stringify({
    milliseconds: performance.now() - startedAt,
    megabytes: process.resourceUsage().maxRSS / 1024 - megabytesBefore,
    code,
  }),
);

function read(made: Iterable<string | Uint8Array>): string | null {
  const reader = createReportReader(defaultReportLimits);
  for (const piece of made) if (!reader.write(Buffer.from(piece))) break;
  return reader.end().fault?.code ?? null;
}

function make(): null {
  for (const piece of pieces?.() ?? []) Buffer.from(piece);
  return null;
}
