/**
 * Run by `node hunt.ts DIRECTORY SEEDS SETTINGS`: plays scenarios through the engine of a directory until one breaks an invariant,
 * and prints `{seed, violation}`; `{}` when none does.
 */
const [directory = "", seeds = "0", settings = "{}"] = process.argv.slice(2);
const { runSeeds }: typeof import("../../../src/simulate/soak/run-seeds.ts") = await import(
  `${directory}/src/simulate/soak/run-seeds.ts`
);
let found = {};
for (let seed = 1; seed <= Number(seeds) && !("seed" in found); seed++) {
  found = runSeeds({ from: seed, to: seed + 1 }, JSON.parse(settings)).broken[0] ?? {};
}
console.log(JSON.stringify(found));

export {};
