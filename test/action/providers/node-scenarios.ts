import { json, type PullRequest, type Scenario } from "./scenario.ts";

function manifest(name: string, dependencies: Record<string, string> = {}, more: object = {}): string {
  return json({ name, version: "1.0.0", scripts: { build: "exit 0" }, dependencies, ...more });
}

const ignored = "node_modules\n.nx\n.turbo\n";

/** b depends on a; c depends on nothing. */
const packages = {
  ".gitignore": ignored,
  "README.md": "Widgets\n",
  "docs/guide.md": "How to\n",
  "packages/a/package.json": manifest("@acme/a"),
  "packages/a/index.js": "export {};\n",
  "packages/b/package.json": manifest("@acme/b", { "@acme/a": "1.0.0" }),
  "packages/c/package.json": manifest("@acme/c"),
};
const lock = json({
  name: "widgets",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": { name: "widgets", workspaces: ["packages/*"] },
    ...Object.fromEntries(
      ["a", "b", "c"].flatMap((name) => [
        [`node_modules/@acme/${name}`, { resolved: `packages/${name}`, link: true }],
        [
          `packages/${name}`,
          {
            name: `@acme/${name}`,
            version: "1.0.0",
            ...(name === "b" ? { dependencies: { "@acme/a": "1.0.0" } } : {}),
          },
        ],
      ]),
    ),
  },
});
const root = {
  "package.json": json({
    name: "widgets",
    private: true,
    workspaces: ["packages/*"],
    packageManager: "npm@11.6.0",
  }),
  "package-lock.json": lock,
};

const builds: readonly PullRequest[] = [
  {
    what: "a file of a package that another needs",
    changed: { "packages/a/index.js": "export const a = 1;\n" },
    impacts: ["@acme/a", "@acme/b"],
  },
  {
    what: "a new file of a package that none needs",
    changed: { "packages/c/new.js": "1;\n" },
    impacts: ["@acme/c"],
  },
  {
    what: "a new dependency, and a removed file",
    changed: {
      "packages/c/package.json": manifest("@acme/c", { "@acme/b": "1.0.0" }),
      "packages/a/index.js": null,
    },
    impacts: ["@acme/a", "@acme/b", "@acme/c"],
  },
  {
    what: "a file of no package",
    changed: { "docs/guide.md": "Else\n" },
    impacts: {
      allBecause:
        "docs/guide.md may belong to more than one package, or to none, and no line of targets-paths names it",
    },
  },
  {
    what: "a file of no package that targets-paths names",
    changed: { "docs/guide.md": "Else\n", "packages/c/new.js": "1;\n" },
    rules: "docs: docs/**\nnone: **.txt",
    impacts: ["@acme/c", "docs"],
  },
  {
    what: "the lockfile",
    changed: { "package-lock.json": lock.replace("widgets", "gadgets") },
    impacts: { allBecause: "the pull request changes package-lock.json, which impact-all-paths names" },
  },
];

export const nx: Scenario = {
  tool: "nx",
  files: { ...packages, ...root, "nx.json": json({ analytics: false }) },
  changes: builds,
};

export const turborepo: Scenario = {
  tool: "turbo",
  files: { ...packages, ...root, "turbo.json": json({ tasks: { build: { dependsOn: ["^build"] } } }) },
  changes: builds,
};

/**
 * More packages: d depends on a by another kind of dependency, e depends on d by its path, f depends
 * optionally on c, and g is excluded.
 */
const linked = (needed: Record<string, string>, range: string) => ({
  "packages/d/package.json": manifest("@acme/d", needed),
  "packages/deep/e/package.json": manifest("@acme/e", {}, { devDependencies: { "@acme/d": range } }),
  "packages/f/package.json": manifest("@acme/f", {}, { optionalDependencies: { "@acme/c": "1.0.0" } }),
  "packages/g/package.json": manifest("@acme/g", { "@acme/a": "1.0.0" }),
});

const workspaceChanges: readonly PullRequest[] = [
  {
    what: "a file of a package that others need, by name and otherwise",
    changed: { "packages/a/deep/new.js": "1;\n" },
    impacts: ["@acme/a", "@acme/b", "@acme/d", "@acme/e"],
  },
  {
    what: "a file of a package that one needs only sometimes",
    changed: { "packages/c/new.js": "1;\n" },
    impacts: ["@acme/c", "@acme/f"],
  },
  {
    what: "a file of no package",
    changed: { "docs/guide.md": "Else\n" },
    impacts: {
      allBecause:
        "docs/guide.md may belong to more than one package, or to none, and no line of targets-paths names it",
    },
  },
  {
    what: "files that targets-paths names",
    changed: { "docs/guide.md": "Else\n", "packages/a/README.md": "A\n", "packages/f/new.js": "1;\n" },
    rules: "none: **.md",
    impacts: ["@acme/f"],
  },
  {
    what: "a file of an excluded package",
    changed: { "packages/g/new.js": "1;\n" },
    impacts: {
      allBecause:
        "packages/g/new.js may belong to more than one package, or to none, and no line of targets-paths names it",
    },
  },
];

const globs = ["packages/*", "packages/deep/*", "!packages/g"];

export const npm: Scenario = {
  tool: null,
  files: {
    ...packages,
    ...linked({ "@acme/a": "file:../a" }, "file:../../d"),
    "package.json": json({ name: "widgets", private: true, workspaces: globs }),
  },
  changes: workspaceChanges,
};

export const yarn: Scenario = {
  tool: null,
  files: {
    ...packages,
    ...linked({ other: "workspace:packages/a" }, "workspace:^"),
    "package.json": json({ name: "widgets", private: true, workspaces: { packages: globs } }),
    "yarn.lock": "",
  },
  changes: workspaceChanges,
};

export const pnpm: Scenario = {
  tool: null,
  files: {
    ...packages,
    ...linked({ other: "workspace:@acme/a@*" }, "link:../../d"),
    "package.json": json({ name: "widgets", private: true }),
    "pnpm-workspace.yaml": `packages:\n${globs.map((glob) => `  - "${glob}"\n`).join("")}linkWorkspacePackages: true\n`,
  },
  changes: workspaceChanges,
};
