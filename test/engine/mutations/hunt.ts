/**
 * Run by `node hunt.ts SEEDS FIRST STEP`. For every STEPth defect, from the FIRST on, plays scenarios through the engine with that
 * defect until one breaks an invariant, and prints `{name, found}` of the defect.
 */
import { defects } from "./all-defects.ts";
import type { Defect } from "./mutation.ts";
import { plant } from "./plant.ts";

const [seeds = 0, first = 0, step = 1] = process.argv.slice(2).map(Number);
for (let index = first; index < defects.length; index += step) {
  const defect = defects[index];
  if (defect) console.log(JSON.stringify({ name: defect.name, found: await hunt(defect).catch(String) }));
}

/** Returns the first violation within the given number of seeds, e.g. `I13: …`. */
async function hunt(defect: Defect): Promise<string> {
  const { runSeeds } = await plant(defect);
  for (let seed = defect.from ?? 1, end = seed + seeds; seed < end; seed++) {
    const [broken] = runSeeds({ from: seed, to: seed + 1 }, { policy: "fixed", ...defect.settings }).broken;
    if (broken) return broken.violation;
  }
  return "nothing was found";
}
