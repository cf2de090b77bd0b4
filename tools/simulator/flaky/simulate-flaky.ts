import { flag, readOptions, seedList, text } from "../../command-options.ts";
import { generateHistory } from "./generate-history.ts";
import { type Measured, measure, otherRules } from "./measure.ts";
import { createOurRule } from "./our-rule.ts";
import { flakyWorlds } from "./world.ts";

const usage = `Usage: npm run simulate:flaky -- [--seeds N,N] [--worlds TEXT] [--json]

Runs our detection, pass on retry, and the rules of two products on generated histories with known truth.

  --seeds N,N    the histories (default 201,202)
  --worlds TEXT  only worlds whose name has this text
  --json         print the results as JSON, one object a line`;

/** `trainyard simulate-flaky`. Returns the exit code. */
export async function simulateFlaky(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "simulate-flaky", usage, options: known });
  if (typeof options === "number") return options;
  const rules = { ours: createOurRule, ...otherRules };
  for (const [name, world] of Object.entries(flakyWorlds)) {
    if (!name.includes(options.worlds)) continue;
    const histories = options.seeds.map((seed) => generateHistory(world, seed));
    const uploads = histories.reduce((sum, one) => sum + one.uploads.length, 0);
    if (!options.json) console.log(`\n${name}: ${uploads} uploads\n${heading}`);
    for (const [rule, create] of Object.entries(rules)) {
      const measured = await measure(create, histories);
      console.log(options.json ? JSON.stringify({ world: name, rule, ...measured }) : render(rule, measured));
    }
  }
  return 0;
}

const heading = `${"".padEnd(36)}precision  forgiven      harm  most forgiven of a broken test`;

function render(rule: string, { precision, forgiven, harm, mostForgivenOfBroken }: Measured): string {
  const columns = [precision, forgiven, harm].map((value) =>
    (value === null ? "-" : value.toFixed(3)).padStart(9),
  );
  return `${rule.padEnd(36)}${columns.join(" ")} ${String(mostForgivenOfBroken ?? "-").padStart(9)}`;
}

const known = { seeds: seedList([201, 202]), worlds: text(""), json: flag };
