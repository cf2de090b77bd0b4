import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { requireFreshBundle } from "./run-step.ts";

const root = join(import.meta.dirname, "../..");

describe("dist/", () => {
  test("is, byte for byte, what the sources make", async () => {
    await expect(requireFreshBundle()).resolves.toBeDefined();
  });

  test("is small, names no place of the machine that built it, and tells the licences of what it holds", () => {
    expect(statSync(join(root, "dist/index.js")).size).toBeLessThan(1_500_000);
    const text = readFileSync(join(root, "dist/index.js"), "utf8");
    expect(text).not.toContain(root);
    expect(text).not.toContain("\r");
    const licensed = readFileSync(join(root, "dist/licenses.txt"), "utf8");
    const packages = new Set(
      [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name),
    );
    for (const name of packages) expect(licensed).toMatch(new RegExp(`^${name} \\d`, "m"));
  });
});
