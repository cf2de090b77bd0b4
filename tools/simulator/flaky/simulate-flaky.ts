import type { Command } from "commander";
import { defineTool, type KnownOptions, type ValuesOf } from "../../command-options.ts";
import { generateHistory } from "./generate-history.ts";
import { type Measured, measure, otherRules } from "./measure.ts";
import { createOurRule } from "./our-rule.ts";
import { flakyWorlds } from "./world.ts";

/** Adds the options of `trainyard simulate-flaky`. */
export function defineSimulateFlaky(command: Command): void {
  defineTool(command, { about, known, parse }, simulateFlaky);
}

async function simulateFlaky(options: FlakyOptions): Promise<number> {
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

interface FlakyOptions {
  readonly seeds: readonly number[];
  readonly worlds: string;
  readonly json: boolean;
}

const about = `Runs our detection, pass on retry, and the rules of two products on generated histories with known truth.`;

const known = {
  seeds: { value: "n,n", default: "201,202", about: "the histories" },
  worlds: { value: "text", default: "", about: "only worlds whose name has this text" },
  json: { about: "print the results as JSON, one object a line" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>): FlakyOptions {
  const seeds = values.seeds.split(",").map(Number);
  const { worlds, json } = values;
  if (seeds.every((seed) => Number.isInteger(seed) && seed > 0)) return { seeds, worlds, json };
  throw new Error(`--seeds must be whole numbers of 1 or more, such as 201,202, not "${values.seeds}".`);
}
