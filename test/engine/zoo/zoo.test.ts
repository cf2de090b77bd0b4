import { availableParallelism } from "node:os";
import { describe, expect, test } from "@jest/globals";
import { defects } from "./defects.ts";
import { PlantedEngine } from "./plant.ts";

/** Within so many seeds every planted defect has to be found. */
const seeds = 1_000;

/** What is found of every defect, or the error; as many at once as there are processors. */
async function huntAll(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const waiting = defects.values();
  const work = async () => {
    const engine = new PlantedEngine();
    for (const defect of waiting) {
      const violation = await engine.hunt(defect, seeds).catch(String);
      found.set(defect.name, violation ?? "nothing was found");
    }
    engine.remove();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return found;
}

describe("an engine with a planted defect is found out:", () => {
  const hunting = huntAll();

  test.each(defects)(
    "$name",
    async ({ name, breaks }) => {
      const violation = (await hunting).get(name);
      // What is noticed first may be that the engine trips over itself.
      expect([...breaks, "crash", violation]).toContain(violation?.split(":")[0]);
    },
    120_000,
  );

  test("every invariant that can be judged is broken by one of them, but for those that the code host guards", () => {
    const broken = new Set(defects.flatMap(({ breaks }) => breaks));
    const judged = Array.from({ length: 20 }, (_, index) => `I${index + 1}`);
    expect(judged.filter((invariant) => !broken.has(invariant))).toEqual(["I3"]);
  });
});
