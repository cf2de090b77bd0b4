import { flag, readOptions, text, type ValuesOf, whole } from "../../command-options.ts";
import { searchSeeds } from "../all-cores.ts";
import type { SeedsPlayed } from "./run-seeds.ts";
import { type Fixture, reduce, writeFixture } from "./shrink.ts";

const usage = `Usage: npm run soak -- [options]

Runs random scenarios through the engine. A judge checks the invariants after every step, and every pull request must
have ended when its scenario ends. A scenario that breaks an invariant is reduced to a few steps and written as a fixture.

  --seeds N       how many scenarios (default 10000)
  --from N        the first seed (default 1)
  --fixtures DIR  where to write fixtures (default test/engine/fixtures)
  --json          print the results as JSON, one object a line`;

const mostSeeds = 1_000_000_000;
const known = {
  seeds: whole(10_000, 1, mostSeeds),
  from: whole(1, 1, mostSeeds),
  fixtures: text("test/engine/fixtures"),
  json: flag,
};

/** Maximum number of violations that are reduced to a fixture. */
const reduced = 5;

/** `trainyard soak`: searches for violations of invariants. Returns the exit code. */
export async function soak(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "soak", usage, options: known });
  if (typeof options === "number") return options;
  const { broken, ...summary } = await searchSeeds("soak", { ...options, atOnce: 100, noun: "seeds" });
  if (options.json) console.log(JSON.stringify({ type: "summary", ...summary, violations: broken.length }));
  console.error(
    `${summary.events} events over ${summary.seeds} seeds in ${summary.seconds} s: ${broken.length} violations`,
  );
  for (const one of broken.slice(0, reduced)) report(one, options);
  if (broken.length > reduced) console.error(`and ${broken.length - reduced} more`);
  return broken.length === 0 ? 0 : 1;
}

function report(
  { seed, violation }: SeedsPlayed["broken"][number],
  { fixtures, json }: ValuesOf<typeof known>,
): void {
  const fixture: Fixture | null = reduce(seed);
  const file = fixture && writeFixture(fixtures, seed, fixture);
  const steps = fixture?.scenario.steps.length ?? null;
  if (json) console.log(JSON.stringify({ type: "violation", seed, violation, steps, file }));
  console.error(`seed ${seed}: ${violation}\n  reduced to ${steps} steps: ${file}`);
}
