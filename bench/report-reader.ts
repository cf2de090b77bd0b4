import { SaxesParser } from "saxes";
import type { CaseName } from "../src/flaky/report/collect-runs.ts";
import { defaultReportLimits } from "../src/flaky/report/fault.ts";
import { NewPasses, PassedTests } from "../src/flaky/report/passed-tests.ts";

import { createReportReader } from "../src/flaky/report/read-report.ts";
import { TestIds } from "../src/flaky/service/uploads/upload-tests.ts";
import { suiteOf } from "./made-up-report.ts";

/**
 * Reads a made-up report of 50 MB, with our code (`ours`) or with the `parser` alone, and prints the time and memory that
 * took. Runs in a separate process.
 */
const suites = 6_700;
// Filled in place, so that creating the report leaves no free memory behind that reading could use.
const space = Buffer.alloc(64 * 1024 * 1024);
let length = space.write("<testsuites>");
for (let suite = 0; suite < suites; suite += 1) length += space.write(suiteOf(suite), length);
length += space.write("</testsuites>", length);
const report = space.subarray(0, length);
const megabytesBefore = process.memoryUsage.rss() / 2 ** 20;
const startedAt = performance.now();
const cases = process.argv[2] === "ours" ? readByUs() : readByParser();
console.log(
  JSON.stringify({
    milliseconds: performance.now() - startedAt,
    // The memory of the report itself does not count.
    megabytes: process.resourceUsage().maxRSS / 1024 - megabytesBefore,
    bytes: report.length,
    cases,
  }),
);

/** Reads the report like the service reads a job's first report, whose tests are all unknown. */
function readByUs(): number {
  const ids = new TestIds().of({ organization: "acme", repository: "github.com/acme/widgets" });
  const keyOf = (test: CaseName) => ids.keyOf(test, test.variant);
  const placesOf = (test: CaseName) => ids.placesOf(test, test.variant);
  const [passed, newPasses] = [new PassedTests(), new NewPasses(keyOf)];
  const known = { keyOf, placesOf, numberOf: () => undefined, passed, newPasses };
  const reader = createReportReader(defaultReportLimits, known);
  for (const piece of pieces()) if (!reader.write(piece)) break;
  const { fault, cases } = reader.end();
  if (fault) throw new Error(`${fault.code}: ${fault.message}`);
  return cases;
}

function readByParser(): number {
  const parser = new SaxesParser();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let cases = 0;
  parser.on("opentag", ({ name }) => {
    if (name === "testcase") cases += 1;
  });
  for (const piece of pieces()) parser.write(decoder.decode(piece, { stream: true }));
  parser.close();
  return cases;
}

function* pieces(): Generator<Uint8Array> {
  for (let at = 0; at < report.length; at += 64 * 1024) yield report.subarray(at, at + 64 * 1024);
}
