import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { exportTree } from "../../src/action/git/export-tree.ts";

const run = promisify(execFile);
let directory: string;
let workspace: string;

async function git(cwd: string, ...args: string[]): Promise<string> {
  const identity = [
    "-c",
    "user.name=x",
    "-c",
    "user.email=x@example.com",
    "-c",
    "protocol.file.allow=always",
  ];
  return (await run("git", [...identity, ...args], { cwd })).stdout.trim();
}

async function commit(cwd: string, files: Record<string, string>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(cwd, path, ".."), { recursive: true });
    await writeFile(join(cwd, path), content);
  }
  await git(cwd, "add", "--all");
  await git(cwd, "commit", "--quiet", "--message=x");
  return git(cwd, "rev-parse", "HEAD");
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-export-"));
  workspace = join(directory, "workspace");
  await run("git", ["init", "--quiet", workspace]);
});

afterEach(() => rm(directory, { recursive: true }));

function environment(cwd: string) {
  return { cwd, env: process.env, signal: AbortSignal.timeout(60_000) };
}

describe("the exported tree of a commit", () => {
  test("contains the files of the commit and of checked-out submodules, leaves the checkout unchanged, and is removed afterwards", async () => {
    const library = join(directory, "library");
    await run("git", ["init", "--quiet", library]);
    await commit(library, { "lib.rs": "1\n" });
    await git(workspace, "submodule", "--quiet", "add", library, "vendor/library");
    const base = await commit(workspace, { "a.txt": "base\n" });
    await commit(workspace, { "a.txt": "head\n" });
    await writeFile(join(workspace, "a.txt"), "being edited\n");
    const before = await git(workspace, "status", "--porcelain");
    let root = "";
    {
      await using exported = await exportTree(environment(workspace), base, directory, "base");
      root = exported.root;
      expect(await readFile(join(root, "a.txt"), "utf8")).toBe("base\n");
      expect(await readFile(join(root, "vendor/library/lib.rs"), "utf8")).toBe("1\n");
    }
    expect(existsSync(root)).toBe(false);
    expect(await git(workspace, "status", "--porcelain")).toBe(before);
    expect(await git(workspace, "worktree", "list")).not.toContain("\n");
  });

  test("has the working directory even when the commit does not contain it", async () => {
    const base = await commit(workspace, { "a.txt": "base\n" });
    await commit(workspace, { "web/b.txt": "head\n" });
    await using exported = await exportTree(environment(join(workspace, "web")), base, directory, "base");
    expect(existsSync(exported.cwd)).toBe(true);
    expect(existsSync(join(exported.root, "a.txt"))).toBe(true);
  });
});
