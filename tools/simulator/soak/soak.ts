import type { Command } from "commander";
import { defineTool, type KnownOptions, type ValuesOf, wholeOption } from "../../command-options.ts";
import { runSeedsOnAllCores } from "./run-seeds.ts";
import { type Fixture, reduce, writeFixture } from "./shrink.ts";

interface SoakOptions {
  readonly seeds: number;
  readonly from: number;
  readonly fixtures: string;
  readonly json: boolean;
}

interface Broken {
  readonly seed: number;
  readonly violation: string;
}

/** Maximum number of violations that are reduced to a fixture. */
const reduced = 5;
const progressMs = 5_000;
const mostSeeds = 1_000_000_000;

/** Adds the options of `trainyard soak`, which searches for violations of invariants. */
export function defineSoak(command: Command): void {
  defineTool(command, { about, known, parse }, soak);
}

async function soak(options: SoakOptions): Promise<number> {
  const { broken, ...summary } = await playAll(options);
  if (options.json) console.log(JSON.stringify({ type: "summary", ...summary, violations: broken.length }));
  console.error(
    `${summary.events} events over ${summary.seeds} seeds in ${summary.seconds} s: ${broken.length} violations`,
  );
  for (const one of broken.slice(0, reduced)) report(one, options);
  if (broken.length > reduced) console.error(`and ${broken.length - reduced} more`);
  return broken.length === 0 ? 0 : 1;
}

async function playAll({ from, seeds }: SoakOptions) {
  const began = performance.now();
  const broken: Broken[] = [];
  let [done, events, told] = [0, 0, began];
  await runSeedsOnAllCores({ from, to: from + seeds }, (played) => {
    done += played.seeds;
    events += played.events;
    broken.push(...played.broken);
    if (performance.now() - told < progressMs) return;
    told = performance.now();
    console.error(`${done} of ${seeds} seeds, ${events} events, ${broken.length} violations`);
  });
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { seeds: done, events, seconds, broken: broken.sort((a, b) => a.seed - b.seed) };
}

function report({ seed, violation }: Broken, { fixtures, json }: SoakOptions): void {
  const fixture: Fixture | null = reduce(seed);
  const file = fixture && writeFixture(fixtures, seed, fixture);
  const steps = fixture?.scenario.steps.length ?? null;
  if (json) console.log(JSON.stringify({ type: "violation", seed, violation, steps, file }));
  console.error(`seed ${seed}: ${violation}\n  reduced to ${steps} steps: ${file}`);
}

const about = `Runs random scenarios through the engine. A judge checks the invariants after every step, and every pull request must
have ended when its scenario ends. A scenario that breaks an invariant is reduced to a few steps and written as a fixture.`;

const known = {
  seeds: { value: "n", default: "10000", about: "how many scenarios" },
  from: { value: "n", default: "1", about: "the first seed" },
  fixtures: { value: "dir", default: "test/engine/fixtures", about: "where to write fixtures" },
  json: { about: "print the results as JSON, one object a line" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>): SoakOptions {
  return {
    ...values,
    seeds: wholeOption("seeds", values.seeds, 1, mostSeeds),
    from: wholeOption("from", values.from, 1, mostSeeds),
  };
}
