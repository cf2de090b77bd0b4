import { parseArgs } from "node:util";
import { type Evaluation, evaluate } from "./evaluate.ts";
import { generateHistory } from "./generate-history.ts";
import { otherDetectors } from "./other-detectors.ts";
import { createOurDetector } from "./our-detector.ts";
import { flakyWorkloads } from "./workload.ts";

const usage = `Usage: npm run simulate:flaky -- [--seeds N,N] [--json]

Lets our detection and the plain rules of other products go through made-up histories of which the truth is known.

  --seeds N,N   the histories (default 101,102,103,104,105)
  --json        print the results as JSON, one object a line`;

/** `trainyard simulate-flaky`. Answers the exit code. */
export function simulateFlaky(argv: readonly string[]): number {
  const options = parseOptions(argv);
  if (options === null || options === "help") {
    console.error(usage);
    return options === "help" ? 0 : 2;
  }
  const detectors = { ours: createOurDetector, ...otherDetectors };
  for (const [workload, settings] of Object.entries(flakyWorkloads)) {
    const histories = options.seeds.map((seed) => generateHistory(settings, seed));
    const uploads = histories.reduce((sum, one) => sum + one.uploads.length, 0);
    const flakes = histories.reduce((sum, one) => sum + one.flakes.length, 0);
    if (!options.json) console.log(`\n${workload}: ${uploads} uploads, ${flakes} flaky failures\n${heading}`);
    for (const [rule, create] of Object.entries(detectors)) {
      const evaluation = evaluate(create, histories);
      console.log(
        options.json ? JSON.stringify({ workload, rule, ...evaluation }) : render(rule, evaluation),
      );
    }
  }
  return 0;
}

const heading = `${"".padEnd(36)}precision    recall   covered  forgiven  failures before`;

function render(rule: string, { failuresBefore, ...shares }: Evaluation): string {
  const columns = [shares.precision, shares.recall, shares.covered, shares.forgiven].map((value) =>
    (value === null ? "-" : value.toFixed(3)).padStart(9),
  );
  return `${rule.padEnd(36)}${columns.join(" ")} ${String(failuresBefore ?? "-").padStart(9)}`;
}

function parseOptions(
  argv: readonly string[],
): { readonly seeds: readonly number[]; readonly json: boolean } | "help" | null {
  const options = {
    seeds: { type: "string", default: "101,102,103,104,105" },
    json: { type: "boolean", default: false },
    help: { type: "boolean" },
  } as const;
  try {
    const { values } = parseArgs({ args: [...argv], options });
    if (values.help) return "help";
    const seeds = values.seeds.split(",").map(Number);
    return seeds.every((seed) => Number.isInteger(seed) && seed > 0) ? { seeds, json: values.json } : null;
  } catch (error) {
    if (error instanceof TypeError && "code" in error) return null;
    throw error;
  }
}
