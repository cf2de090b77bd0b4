import type { Command } from "commander";
import { defineTool, type KnownOptions, type ValuesOf } from "../../command-options.ts";
import { generateHistory } from "./generate-history.ts";
import { otherRules } from "./other-rules.ts";
import { createOurRule } from "./our-rule.ts";
import type { CreateRule, SimulatedHistory } from "./rule.ts";
import { flakyWorlds } from "./world.ts";

/** Adds the options of `trainyard simulate-flaky`. */
export function defineSimulateFlaky(command: Command): void {
  defineTool(command, { about, known, parse }, simulateFlaky);
}

async function simulateFlaky(options: FlakyOptions): Promise<number> {
  const rules = { ours: createOurRule, ...otherRules };
  for (const [name, world] of Object.entries(flakyWorlds)) {
    if (!name.includes(options.worlds)) continue;
    const size = options.small ? { tests: 900, days: 14 } : {};
    const histories = options.seeds.map((seed) => generateHistory({ ...world, ...size }, seed));
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
  readonly small: boolean;
  readonly json: boolean;
}

const about = `Runs our detection, plain rules, and the rules of two products on generated histories with known truth.`;

const known = {
  seeds: { value: "n,n", default: "201,202", about: "the histories" },
  worlds: { value: "text", default: "", about: "only worlds whose name has this text" },
  small: { about: "only 900 tests and 14 days, in a fifth of the time" },
  json: { about: "print the results as JSON, one object a line" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>): FlakyOptions {
  const seeds = values.seeds.split(",").map(Number);
  const { worlds, small, json } = values;
  if (seeds.every((seed) => Number.isInteger(seed) && seed > 0)) return { seeds, worlds, small, json };
  throw new Error(`--seeds must be whole numbers of 1 or more, such as 201,202, not "${values.seeds}".`);
}

/** The quality of a rule on one or several histories. Shares are fractions of 1; null = the denominator is 0. */
export interface Measured {
  /** The share of truly flaky tests among those that the rule marked as flaky. */
  readonly precision: number | null;
  /** The share of flaky failures that were forgiven. */
  readonly forgiven: number | null;
  /** Among the uploads with a real failure, the share in which all failures were forgiven. */
  readonly harm: number | null;
  /** Among the flaky tests that broke for good, the maximum number of one test's failures that were forgiven after that. */
  readonly mostForgivenOfBroken: number | null;
}

export async function measure(
  createRule: CreateRule,
  histories: readonly SimulatedHistory[],
): Promise<Measured> {
  let [flagged, right, flakes, forgivenFlakes, realUploads, harmed] = [0, 0, 0, 0, 0, 0];
  let mostForgivenOfBroken: number | null = null;
  for (const { tests, names, uploads, flaky, broken } of histories) {
    const rule = createRule(names, tests);
    const forgivenOfBroken = new Map([...broken].map((test) => [test, 0]));
    for (const upload of uploads) {
      const forgiven = rule.forgiven(upload);
      const failed = upload.failed.filter(({ passedOnRetry }) => !passedOnRetry);
      const real = failed.filter(({ cause }) => cause === "real");
      realUploads += real.length > 0 ? 1 : 0;
      harmed += real.length > 0 && failed.every(({ test }) => forgiven.has(test)) ? 1 : 0;
      for (const { test, cause, message } of failed) {
        flakes += cause === "flaky" ? 1 : 0;
        forgivenFlakes += cause === "flaky" && forgiven.has(test) ? 1 : 0;
        if (message.startsWith("broken for good") && forgiven.has(test) && broken.has(test))
          forgivenOfBroken.set(test, (forgivenOfBroken.get(test) ?? 0) + 1);
      }
      await rule.see(upload);
    }
    flagged += rule.flagged.size;
    right += [...rule.flagged.keys()].filter((test) => flaky.has(test)).length;
    if (broken.size > 0)
      mostForgivenOfBroken = Math.max(mostForgivenOfBroken ?? 0, ...forgivenOfBroken.values());
  }
  return {
    precision: share(right, flagged),
    forgiven: share(forgivenFlakes, flakes),
    harm: share(harmed, realUploads),
    mostForgivenOfBroken,
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
