import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { defects } from "./all-defects.ts";
import { findFunction } from "./engine-module.ts";

/** The number of seeds within which every planted defect has to be found. */
const seeds = 1_000;

/** The violation or error found for every defect. One hunter runs per processor. */
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

describe("the soak", () => {
  const hunting = huntAll();

  test.each(defects)("detects the planted defect: $name", async ({ name, breaks }) => {
    const violation = (await hunting).get(name) ?? "";
    expect(violation).toMatch(new RegExp(`^(${breaks.join("|")}):`));
  });

  test("has a planted defect for every invariant that it judges, except the one that the code host guards", () => {
    const broken = new Set(defects.flatMap(({ breaks }) => breaks));
    const judged = Array.from({ length: 28 }, (_, index) => `I${index + 1}`);
    expect(judged.filter((invariant) => !broken.has(invariant))).toEqual(["I3"]);
  });
});

test("a mutation of a function that the engine does not have fails with the name of the function", () => {
  expect(() => findFunction("startRunz")).toThrow('0 modules with the function "startRunz", instead of one');
});
