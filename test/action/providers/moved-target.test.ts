import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createPlayground, type Playground } from "./playground.ts";
import { json } from "./scenario.ts";

const run = promisify(execFile);
const what = { what: "", changed: {}, impacts: [] };

let playground: Playground;

beforeEach(async () => {
  playground = await createPlayground({
    tool: null,
    files: {
      "package.json": json({ workspaces: ["packages/*"] }),
      "packages/lib/package.json": json({ name: "lib" }),
      "packages/lib/index.js": "0;\n",
      "packages/api/package.json": json({ name: "api" }),
      "packages/web/package.json": json({ name: "web" }),
    },
    changes: [],
  });
});
afterEach(() => playground.close());

async function git(...args: string[]): Promise<void> {
  await run("git", args, { cwd: playground.workspace, env: playground.env });
}

/** The targets of a commit; the files are those of its checkout. */
async function impactOf(sha: string, inputs: Record<string, string> = { provider: "npm" }) {
  await git("checkout", "--quiet", "--detach", sha);
  return playground.impact(inputs, sha, what);
}

describe("after the target branch has moved on", () => {
  test("packages that began to depend on a changed one there are impacted", async () => {
    const main = await playground.propose({
      "packages/api/package.json": json({ name: "api", dependencies: { lib: "*" } }),
      "packages/new/package.json": json({ name: "new", dependencies: { api: "*" } }),
    });
    const head = await playground.propose({ "packages/lib/index.js": "1;\n" });
    expect(await impactOf(head)).toEqual(["lib"]);
    await git("update-ref", "refs/remotes/origin/main", main);
    expect(await impactOf(head)).toEqual(["api", "lib", "new"]);
  });

  test("a package in which a link was added there to a changed file is impacted", async () => {
    await symlink("../lib/index.js", join(playground.workspace, "packages/web/copy.js"));
    const main = await playground.propose({});
    const head = await playground.propose({ "packages/lib/index.js": "1;\n" });
    expect(await impactOf(head)).toEqual(["lib"]);
    await git("update-ref", "refs/remotes/origin/main", main);
    expect(await impactOf(head)).toEqual(["lib", "web"]);
  });

  test("a pull request that changes a package in which another was added there impacts everything", async () => {
    const main = await playground.propose({
      "package.json": json({ workspaces: ["packages/*", "packages/lib/inner"] }),
      "packages/lib/inner/package.json": json({ name: "inner" }),
    });
    const head = await playground.propose({ "packages/lib/index.js": "1;\n" });
    await git("update-ref", "refs/remotes/origin/main", main);
    // It may be the new package alone that reads the file.
    expect(await impactOf(head)).toContain("packages/lib/index.js may belong to more than one package");
  });

  test("a package that was renamed there and gains files is impacted under its new name", async () => {
    await playground.close();
    const files = {
      "package.json": json({ workspaces: ["packages/*", "packages/lib/inner"] }),
      "packages/lib/package.json": json({ name: "lib" }),
      "packages/lib/inner/package.json": json({ name: "inner" }),
      "packages/lib/inner/index.js": "1;\n",
    };
    playground = await createPlayground({ tool: null, files, changes: [] });
    const main = await playground.propose({ "packages/lib/package.json": json({ name: "core" }) });
    const head = await playground.propose({ "packages/lib/inner/package.json": null });
    expect(await impactOf(head)).toEqual(["inner", "lib"]);
    await git("update-ref", "refs/remotes/origin/main", main);
    expect(await impactOf(head)).toEqual(["core", "inner", "lib"]);
  });

  test("a rule that was added there and uses a changed Starlark file is impacted", async () => {
    await playground.close();
    const build = 'load("//:defs.bzl", "checked")\n\nchecked(name = "it", srcs = [], outs = ["out"])\n';
    const files = { WORKSPACE: "", "defs.bzl": "# 1\n", "lib/BUILD": build };
    playground = await createPlayground({ tool: null, files, changes: [] });
    const inputs = { provider: "bazel", "bazel-path": join(import.meta.dirname, "drawn/bazel-stub.mjs") };
    const main = await playground.propose({ "app/BUILD": build });
    const head = await playground.propose({ "defs.bzl": "# 2\n" });
    expect(await impactOf(head, inputs)).toEqual(["//lib:it"]);
    await git("update-ref", "refs/remotes/origin/main", main);
    expect(await impactOf(head, inputs)).toEqual(["//app:it", "//lib:it"]);
  });

  test("a pull request that changes a package which was moved there impacts everything", async () => {
    const main = await playground.propose({
      "packages/lib/package.json": null,
      "packages/core/package.json": json({ name: "core" }),
    });
    const head = await playground.propose({
      "packages/lib/package.json": json({ name: "lib", main: "a.js" }),
    });
    expect(await impactOf(head)).toEqual(["lib"]);
    await git("update-ref", "refs/remotes/origin/main", main);
    expect(await impactOf(head)).toBe(
      "main has moved or deleted packages/lib/package.json, which the pull request changes",
    );
  });

  test("a pull request with several merge bases impacts everything", async () => {
    const ours = await playground.propose({ "packages/lib/index.js": "1;\n" });
    const theirs = await playground.propose({ "packages/web/index.js": "1;\n" });
    const merge = async (onto: string, other: string) => {
      await git("checkout", "--quiet", "--detach", onto);
      await git("merge", "--quiet", "--no-ff", "--message=x", other);
      return playground.commit({});
    };
    await git("update-ref", "refs/remotes/origin/main", await merge(ours, theirs));
    expect(await impactOf(await merge(theirs, ours))).toBe(
      "the pull request and main have several merge bases",
    );
  });
});
