import { day } from "../../../src/flaky/detection/settings.ts";
import { normal, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import type { SimulatedUpload } from "./rule.ts";
import type { FlakyWorld } from "./world.ts";

/** A period in which something makes tests fail in every run. */
export interface Breakage {
  readonly from: number;
  readonly to: number;
  readonly tests: readonly number[];
  /** Null = on every line. */
  readonly line: string | null;
  /** Null = on every leg. */
  readonly leg: number | null;
}

/** A commit that is tested. */
export interface Commit
  extends Pick<SimulatedUpload, "kind" | "pr" | "branch" | "line" | "head" | "tree" | "changes"> {
  /** When its base was the newest commit. What was broken then is broken in this commit. */
  readonly baseAt: number;
  /** The tests that it breaks. */
  readonly broken: readonly number[];
  /** The leg on which it breaks them; null = all. */
  readonly brokenOn: number | null;
  /** The tests that it makes fail sometimes, with their failure rates. */
  readonly raced: ReadonlyMap<number, number>;
}

/** What one pull request or a stack of them changes. */
export interface Change extends Pick<Commit, "line" | "raced"> {
  /** The commits that are on no stable branch and whose parents are. */
  readonly commits: readonly string[];
}

/** A test that sometimes fails without cause. */
interface MadeUpFlake {
  /** Its failure rate, from 0 to 1. */
  readonly rate: number;
  readonly messages: readonly string[];
  /** It fails on bases from this time on. */
  readonly since: number;
}

/** The tests of a generated repository, with the truth about them. */
export interface MadeUpTests {
  readonly flakes: ReadonlyMap<number, MadeUpFlake>;
  /** Tests that fail together, with their failure rate. */
  readonly groups: readonly { readonly tests: readonly number[]; readonly rate: number }[];
  readonly twins: ReadonlySet<number>;
}

const groupSize = 6;

/** The maximum rate, because people notice more frequent failures by themselves. */
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
    flakes.set(test, { rate: flakyRate(world.rates, random), messages: messagesOf(test, random), since: 0 });
  }
  const bumpedAt = world.days * day * 0.4;
  for (let count = 0; count < world.bumped; count += 1) {
    const test = pick();
    const messages = messagesOf(test, random);
    if (!flakes.has(test))
      flakes.set(test, { rate: flakyRate(world.rates, random), messages, since: bumpedAt });
  }
  const groups = Array.from({ length: Math.round(world.orderDependent / groupSize) }, () => {
    const tests = Array.from({ length: groupSize }, pick);
    return { tests: tests.filter((test) => !flakes.has(test)), rate: 0.01 + 0.05 * random() };
  });
  const twins = new Set<number>();
  while (twins.size < Math.round(world.twins * world.tests)) twins.add(pick());
  return { flakes, groups, twins };
}
