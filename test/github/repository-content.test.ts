import { expect, test } from "@jest/globals";
import {
  isSameRepositoryFile,
  readFile,
  readRepositoryFile,
} from "../../src/github/access/repository-files.ts";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox } from "../sandbox/scene.ts";

test("a file of the repository is read unchanged, however long it is", () =>
  inSandbox(async ({ asInstallation: app, asAdmin }) => {
    const files = { short: "Ünï\n", empty: "", long: "0123456789abcdef".repeat(90_000) };
    const sha = await commitOn(asAdmin, await tipOf(asAdmin, "main"), files);
    for (const [path, text] of Object.entries(files))
      expect(await readFile(apiOf(app), sha, path)).toBe(text);
    expect(await readFile(apiOf(app), sha, "nowhere")).toBeNull();
    expect(await readFile(apiOf(app), null, "facts")).toBeNull();
  }));

test("while GraphQL refuses, an absent file is known to be absent, and an existing one is not taken for absent", () =>
  inSandbox(async ({ sandbox, asInstallation: app }) => {
    const { faults } = sandbox;
    faults.next({
      operation: "graphql/repository",
      kind: "query_errors",
      variant: "went_wrong",
      lastsMs: 600_000,
    });
    for (const path of [".github/trainyard.yml", "facts/other.json"])
      expect(await readFile(apiOf(app), "main", path)).toBeNull();
    faults.next({ operation: "repos/get-content", kind: "not_found" });
    await expect(readFile(apiOf(app), "main", "facts/base.json")).rejects.toMatchObject({ status: 404 });
  }));

const found: readonly (readonly [
  files: readonly string[],
  path: string | null,
  strays: readonly string[],
])[] = [
  [["README.md", ".github/workflows/trainyard.yml", "src/trainyard.yml", "trainyard.yml.txt"], null, []],
  [[".github/trainyard.yml"], ".github/trainyard.yml", []],
  [[".github/trainyard.yaml"], ".github/trainyard.yaml", []],
  [[".github/trainyard.yml", ".github/trainyard.yaml"], ".github/trainyard.yml", [".github/trainyard.yaml"]],
  [[".github/trainyard.json"], null, [".github/trainyard.json"]],
  [["trainyard.yml", ".trainyard.yaml"], null, [".trainyard.yaml", "trainyard.yml"]],
  [
    [".github/Trainyard.yml", ".config/trainyard.yml"],
    null,
    [".github/Trainyard.yml", ".config/trainyard.yml"],
  ],
];

test.each(["answers", "refuses"])(
  "the repository's file and files that resemble it are found while GraphQL %s",
  (graphql) =>
    inSandbox(async ({ sandbox, asInstallation: app, asAdmin }) => {
      const main = await tipOf(asAdmin, "main");
      for (const [files, path, strays] of found) {
        const texts = Object.fromEntries(files.map((file) => [file, `# ${file}\n`]));
        const sha = await commitOn(asAdmin, main, texts);
        const refuse = () =>
          sandbox.faults.next({
            operation: "graphql/repository",
            kind: "query_errors",
            variant: "went_wrong",
            lastsMs: 600_000,
          });
        const end = graphql === "refuses" ? refuse() : null;
        const text = path && `# ${path}\n`;
        expect(await readRepositoryFile(apiOf(app), sha)).toEqual({ path, text, strays });
        expect(await isSameRepositoryFile(apiOf(app), [sha, "main"])).toBe(!path && strays.length === 0);
        end?.();
      }
      await expect(readRepositoryFile(apiOf(app), "gone")).rejects.toMatchObject({ kind: "not_found" });
    }),
);

test("the repository's file is not taken for absent because an answer of GraphQL lacks its directory", () =>
  inSandbox(async ({ asInstallation: app, asAdmin }) => {
    const path = ".github/trainyard.yml";
    const sha = await commitOn(asAdmin, await tipOf(asAdmin, "main"), { [path]: "permission: admin\n" });
    app.hook.after("request", (response, { url }) => {
      if (!url.endsWith("/graphql")) return;
      const { repository } = (response.data as { data: { repository: Record<string, unknown> } }).data;
      for (const name of Object.keys(repository)) if (name !== "at0") repository[name] = null;
    });
    expect(await readRepositoryFile(apiOf(app), sha)).toMatchObject({ path, text: "permission: admin\n" });
  }));
