import { execFile } from "node:child_process";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createPlayground, type Playground } from "./playground.ts";
import { json } from "./scenario.ts";

const run = promisify(execFile);
const files = {
  "package.json": json({ workspaces: ["packages/*"] }),
  "packages/a/package.json": json({ name: "a" }),
  "packages/a/index.js": "1;\n",
  "packages/b/package.json": json({ name: "b" }),
  "packages/c/package.json": json({ name: "c" }),
};

let playground: Playground;

afterEach(() => playground.close());

async function git(...args: string[]): Promise<string> {
  const { workspace: cwd, env } = playground;
  return (await run("git", args, { cwd, env: env as NodeJS.ProcessEnv })).stdout.trim();
}

/** Commits the work tree as the base, and returns the impact of a change. */
async function impactOf(changed: Record<string, string | null>) {
  await git("add", "--all");
  await git("commit", "--quiet", "--message=links");
  await git("update-ref", "refs/remotes/origin/main", "HEAD");
  const base = await git("rev-parse", "HEAD");
  await git("checkout", "--quiet", "--detach", base);
  const head = await playground.commit(changed);
  return playground.impact({ provider: "npm" }, head, { what: "x", changed, impacts: [] });
}

describe("a package that contains a symbolic link", () => {
  test("is impacted by changes of the link's target, also through other links", async () => {
    playground = await createPlayground({ files, tool: null, changes: [] });
    await symlink("../a/index.js", join(playground.workspace, "packages/b/linked.js"));
    await symlink("../b", join(playground.workspace, "packages/c/all-of-b"));
    expect(await impactOf({ "packages/a/index.js": "2;\n" })).toEqual(["a", "b", "c"]);
  });
});

describe("a package whose folder is a symbolic link", () => {
  test("belongs to the workspace, as it does for the tools", async () => {
    const own = { "vendor/own/package.json": json({ name: "own", dependencies: { a: "*" } }) };
    playground = await createPlayground({ files: { ...files, ...own }, tool: null, changes: [] });
    await symlink("../vendor/own", join(playground.workspace, "packages/own"));
    expect(await impactOf({ "packages/a/index.js": "2;\n" })).toEqual(["a", "own"]);
  });

  test("makes everything impacted when its package.json is itself a link", async () => {
    playground = await createPlayground({ files, tool: null, changes: [] });
    await mkdir(join(playground.workspace, "packages/d"));
    await symlink("../c/package.json", join(playground.workspace, "packages/d/package.json"));
    expect(await impactOf({ "packages/a/index.js": "2;\n" })).toContain(
      "packages/d/package.json is a symbolic link",
    );
  });
});

describe("a submodule", () => {
  test("impacts everything when it moves to another commit, unless targets-paths names it", async () => {
    playground = await createPlayground({ files, tool: null, changes: [] });
    const other = join(playground.workspace, "../other");
    await run("git", ["init", "--quiet", other]);
    const commit = [
      "-c",
      "user.name=x",
      "-c",
      "user.email=x@example.com",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
    ];
    await run("git", [...commit, "one"], { cwd: other });
    await git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "packages/a/sub");
    await git("add", "--all");
    await git("commit", "--quiet", "--message=submodule");
    await git("update-ref", "refs/remotes/origin/main", "HEAD");
    await run("git", [...commit, "two"], { cwd: other });
    await git("-C", "packages/a/sub", "-c", "protocol.file.allow=always", "pull", "--quiet");
    const head = await playground.commit({});
    const change = { what: "x", changed: {}, impacts: [] };
    expect(await playground.impact({ provider: "npm" }, head, change)).toContain(
      "packages/a/sub is a submodule",
    );
    const named = { ...change, rules: "sub: packages/a/sub" };
    expect(await playground.impact({ provider: "npm" }, head, named)).toEqual(["sub"]);
    await rm(other, { recursive: true });
  });
});
