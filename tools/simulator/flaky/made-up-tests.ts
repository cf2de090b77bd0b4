import { normal, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import type { FlakyWorld } from "./world.ts";

/** A test that sometimes fails without cause. */
export interface MadeUpFlake {
  /** Its failure rate, from 0 to 1. */
  readonly rate: number;
  readonly messages: readonly string[];
}

/** The tests of a generated repository, with the truth about them. */
export interface MadeUpTests {
  readonly flakes: ReadonlyMap<number, MadeUpFlake>;
  /** Tests that fail together, with their failure rate. */
  readonly groups: readonly { readonly tests: readonly number[]; readonly rate: number }[];
  readonly twins: ReadonlySet<number>;
}

const groupSize = 6;

/** Maximum rate. People notice more frequent failures by themselves. */
const highestRate = 0.35;

function flakyRate({ median, spread }: FlakyWorld["rates"], random: RandomSource): number {
  return Math.min(highestRate, median * Math.exp(spread * normal(random)));
}

/** Two of three always fail with the same message (FlakeFlagger, 2021: 64 % have one type of exception). */
function messagesOf(test: number, random: RandomSource): readonly string[] {
  const kinds = random() < 0.64 ? 1 : 2 + Math.floor(2 * random());
  return Array.from({ length: kinds }, (_, kind) => `flake ${test}.${kind}`);
}

export function makeUpTests(world: FlakyWorld, random: RandomSource): MadeUpTests {
  const pick = () => Math.floor(random() * world.tests);
  const flakes = new Map<number, MadeUpFlake>();
  while (flakes.size < Math.round(world.flaky * world.tests)) {
    const test = pick();
    flakes.set(test, { rate: flakyRate(world.rates, random), messages: messagesOf(test, random) });
  }
  const groups = Array.from({ length: Math.round(world.orderDependent / groupSize) }, () => {
    const tests = Array.from({ length: groupSize }, pick);
    return { tests: tests.filter((test) => !flakes.has(test)), rate: 0.01 + 0.05 * random() };
  });
  const twins = new Set<number>();
  while (twins.size < Math.round(world.twins * world.tests)) twins.add(pick());
  return { flakes, groups, twins };
}
