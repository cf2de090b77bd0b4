import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";

const root = join(import.meta.dirname, "../..");

describe("dist/", () => {
  test("is byte for byte what a build of the sources produces, and so is the client", () => {
    const build = join(root, "scripts/build.ts");
    // The build runs in another directory, because its output must not depend on the working directory.
    const { status, stderr } = spawnSync(process.execPath, [build, "--check"], {
      cwd: "/",
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("is small, contains no path of the build machine, and lists the licence of each bundled package", () => {
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
