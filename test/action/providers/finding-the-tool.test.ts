import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createPlayground, type Playground } from "./playground.ts";

let playground: Playground;
let directory: string | null = null;

afterEach(async () => {
  await playground.close();
  if (directory !== null) await rm(directory, { recursive: true });
  directory = null;
});

const change = { what: "a new file", changed: { "sub/new.txt": "1\n" }, impacts: [] };

/** Returns the targets that a pull request with a new file impacts, or why it impacts everything. */
async function impactIn(files: Record<string, string>, inputs: Record<string, string> = {}, env = {}) {
  playground = await createPlayground({ files, tool: null, changes: [] }, env);
  const head = await playground.propose(change.changed);
  return playground.impact(inputs, head, change);
}

describe("the auto provider", () => {
  test("does not choose when several tools each know only a part of the repository", async () => {
    const because = await impactIn({ "go.mod": "module example.org/a\n", "Cargo.toml": "", "nx.json": "{}" });
    expect(because).toContain(
      "Each of nx, cargo, go covers only a part of the workspace. Set the input provider",
    );
  });

  test("treats a package.json as a workspace only if it declares one", async () => {
    expect(await impactIn({ "package.json": "{}" })).toContain(
      "Set the input provider, or working-directory",
    );
  });
});

describe("a provider", () => {
  test("names the tool that is not installed", async () => {
    const inputs = { provider: "cargo" };
    const because = await impactIn({ "Cargo.toml": "" }, inputs, { PATH: await pathToGit() });
    expect(because).toMatch(/cargo is not installed on this runner\. Install it before this step$/);
  });

  test.each(["npm", "pnpm"])(
    "reports that no package matches the workspace's globs (%s)",
    async (provider) => {
      const files = { "package.json": '{"workspaces":["none/*"]}', "pnpm-workspace.yaml": "packages: []\n" };
      expect(await impactIn(files, { provider })).toContain("Nothing tracked by git matches");
    },
  );

  test("names a package.json that cannot be parsed", async () => {
    const because = await impactIn({ "package.json": "{" }, { provider: "npm" });
    expect(because).toMatch(/package\.json is not JSON: .*Fix it$/);
  });

  test("applies impact-all-paths as set, also when it is empty", async () => {
    const files = { "package.json": '{"workspaces":["sub"]}', "sub/package.json": '{"name":"sub"}' };
    const all = await impactIn(files, { provider: "npm", "impact-all-paths": "default, sub/*.txt" });
    expect(all).toBe("the pull request changes sub/new.txt, which impact-all-paths names");
    await playground.close();
    expect(await impactIn(files, { provider: "npm", "impact-all-paths": "" })).toEqual(["sub"]);
  });
});

/** A PATH that contains only git. */
async function pathToGit(): Promise<string> {
  directory = await mkdtemp(join(tmpdir(), "trainyard-path-"));
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const git = folders.map((folder) => join(folder, "git")).find(existsSync) ?? "";
  await symlink(git, join(directory, "git"));
  return directory;
}
