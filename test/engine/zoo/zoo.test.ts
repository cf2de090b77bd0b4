import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { defects } from "./defects.ts";

/** Within so many seeds every planted defect has to be found. */
const seeds = 1_000;

/** What is found of every defect, or the error; as many at once as there are processors. */
async function huntAll(): Promise<Map<string, string>> {
  const hunters = availableParallelism();
  const hunt = async (first: number) => {
    const options = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "hunt.ts")];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...options, seeds, first, hunters].map(String),
    );
    return stdout
      .trim()
      .split("\n")
      .map((line): { name: string; found: string } => JSON.parse(line));
  };
  const found = await Promise.all(Array.from({ length: hunters }, (_, first) => hunt(first)));
  return new Map(found.flat().map((one) => [one.name, one.found]));
}

describe("an engine with a planted defect is found out:", () => {
  const hunting = huntAll();

  test.each(defects)("$name", async ({ name, breaks }) => {
    const violation = (await hunting).get(name) ?? "";
    // What is noticed first may be that the engine trips over itself.
    expect(violation).toMatch(new RegExp(`^(${[...breaks, "crash"].join("|")}):`));
  });

  test("every invariant that can be judged is broken by one of them, but for those that the code host guards", () => {
    const broken = new Set(defects.flatMap(({ breaks }) => breaks));
    const judged = Array.from({ length: 26 }, (_, index) => `I${index + 1}`);
    expect(judged.filter((invariant) => !broken.has(invariant))).toEqual(["I3"]);
  });
});
