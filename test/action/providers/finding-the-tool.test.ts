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

/** What a pull request that adds a file impacts, or why that cannot be told. */
async function impactIn(files: Record<string, string>, inputs: Record<string, string> = {}, env = {}) {
  playground = await createPlayground({ files, tool: null, changes: [] }, env);
  const head = await playground.propose(change.changed);
  return playground.impact(inputs, head, change);
}

describe("the provider auto", () => {
  test("does not choose between tools each of which knows but a part", async () => {
    const because = await impactIn({ "go.mod": "module example.org/a\n", "Cargo.toml": "", "nx.json": "{}" });
    expect(because).toContain("Each of nx, cargo, go knows only a part. Set the input provider");
  });

  test("takes a package.json for a workspace only if it names one", async () => {
    expect(await impactIn({ "package.json": "{}" })).toContain(
      "Set the input provider, or working-directory",
    );
  });
});

describe("a provider", () => {
  test("names the tool that is missing", async () => {
    const inputs = { provider: "cargo" };
    const because = await impactIn({ "Cargo.toml": "" }, inputs, { PATH: await pathToGit() });
    expect(because).toMatch(/cargo is not installed on this runner\. Install it before this step$/);
  });

  test.each(["npm", "pnpm"])(
    "of a workspace without packages says what it looked for (%s)",
    async (provider) => {
      const files = { "package.json": '{"workspaces":["none/*"]}', "pnpm-workspace.yaml": "packages: []\n" };
      expect(await impactIn(files, { provider })).toContain("Nothing tracked by git matches");
    },
  );

  test("says which package.json cannot be read", async () => {
    const because = await impactIn({ "package.json": "{" }, { provider: "npm" });
    expect(because).toMatch(/package\.json is no JSON: .*Mend it$/);
  });

  test("leaves impact-all-paths to those who set it", async () => {
    const files = { "package.json": '{"workspaces":["sub"]}', "sub/package.json": '{"name":"sub"}' };
    const all = await impactIn(files, { provider: "npm", "impact-all-paths": "default, sub/*.txt" });
    expect(all).toBe("impact-all-paths names sub/new.txt, which it changes");
    await playground.close();
    expect(await impactIn(files, { provider: "npm", "impact-all-paths": "" })).toEqual(["sub"]);
  });
});

/** A PATH with git, and no more. */
async function pathToGit(): Promise<string> {
  directory = await mkdtemp(join(tmpdir(), "trainyard-path-"));
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const git = folders.map((folder) => join(folder, "git")).find(existsSync) ?? "";
  await symlink(git, join(directory, "git"));
  return directory;
}
