/**
 * Run by `node hunt.ts SEEDS FIRST STEP`: plays scenarios through the engine with every STEPth defect, from the FIRST on, until one
 * breaks an invariant, and prints `{name, found}` of each.
 */
import { type Defect, defects } from "./defects.ts";
import { plant } from "./plant.ts";

const [seeds = 0, first = 0, step = 1] = process.argv.slice(2).map(Number);
for (let index = first; index < defects.length; index += step) {
  const defect = defects[index];
  if (defect) console.log(JSON.stringify({ name: defect.name, found: await hunt(defect).catch(String) }));
}

/** The first broken invariant that so many seeds come upon, e.g. `I13: …`. */
async function hunt(defect: Defect): Promise<string> {
  const { runSeeds } = await plant(defect);
  for (let seed = defect.from ?? 1, end = seed + seeds; seed < end; seed++) {
    const [broken] = runSeeds({ from: seed, to: seed + 1 }, { policy: "fixed", ...defect.settings }).broken;
    if (broken) return broken.violation;
  }
  return "nothing was found";
}
