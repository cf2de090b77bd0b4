import { describe, expect, test } from "@jest/globals";
import { type Defect, defects } from "./defects.ts";
import { PlantedEngine } from "./plant.ts";

/** Within so many seeds every planted defect has to be found. */
const seeds = 1_000;

async function huntFor(defect: Defect): Promise<string> {
  const engine = new PlantedEngine();
  try {
    engine.plant(defect);
    const found = await engine.hunt(seeds, defect.settings);
    return found?.violation ?? "nothing was found";
  } finally {
    engine.remove();
  }
}

describe("the judge finds", () => {
  const found = new Map(defects.map((defect) => [defect.name, huntFor(defect)]));

  test.each(defects)("$name", async ({ name, breaks }) => {
    const violation = await found.get(name);
    expect(breaks).toContain(violation?.split(":")[0]);
  });
});
