import { json, type PullRequest, type Scenario } from "./scenario.ts";

/** Changes whose impact a provider underestimates if it looks only at the head, or only at folders. */

const node = (name: string, dependencies: Record<string, string> = {}, more: object = {}) =>
  json({ name, version: "1.0.0", scripts: { build: "exit 0" }, dependencies, ...more });

const nodeFiles = {
  ".gitignore": "node_modules\n.nx\n.turbo\n",
  "package.json": json({
    name: "widgets",
    private: true,
    workspaces: ["packages/*"],
    packageManager: "npm@11.6.0",
  }),
  "packages/core/package.json": node("core"),
  "packages/core/index.js": "1;\n",
  "packages/api/package.json": node("api", { core: "1.0.0" }),
  "packages/web/package.json": node("web", { api: "1.0.0" }),
  "packages/alone/package.json": node("alone"),
};
/** A package inside another that belongs to no workspace. Another one needs it by its path, and it may read the files around it. */
const neededInside: PullRequest = {
  what: "a file around a package of no workspace that another needs",
  changed: {
    "packages/alone/package.json": node("alone", { inner: "file:../core/inner" }),
    "packages/core/index.js": "2;\n",
    "packages/core/inner/package.json": node("inner"),
  },
  rules: "none: packages/core/inner/**",
  impacts: { allBecause: "packages/core/index.js may belong to more than one package, or to none" },
};
const removedCore = { "packages/core/package.json": null, "packages/core/index.js": null };

export const turborepo: Scenario = {
  name: "easily missed",
  tool: "turbo",
  files: {
    ...nodeFiles,
    "turbo.json": `// Tasks.\n${json({
      tasks: {
        build: { dependsOn: ["^build"] },
        "alone#build": {
          inputs: ["$TURBO_DEFAULT$", "$TURBO_ROOT$/packages/core/index.js"],
          dependsOn: ["web#build"],
        },
      },
    })}`,
  },
  changes: [
    {
      what: "a removed package whose dependents stay",
      changed: removedCore,
      impacts: ["alone", "api", "core", "web"],
    },
    {
      what: "a file that a task of another package reads",
      changed: { "packages/core/index.js": "2;\n" },
      impacts: ["alone", "api", "core", "web"],
    },
    {
      what: "a package whose task another package's task waits for",
      changed: { "packages/web/new.js": "2;\n" },
      impacts: ["alone", "web"],
    },
    {
      what: "a file of no package",
      changed: { Makefile: "all:\n" },
      impacts: { allBecause: "Makefile may belong to more than one package, or to none" },
    },
  ],
};

export const nx: Scenario = {
  name: "easily missed",
  tool: "nx",
  files: { ...nodeFiles, "nx.json": json({ analytics: false }) },
  changes: [
    {
      // Nx treats a removed project as a change of everything.
      what: "a removed project whose dependents stay",
      changed: removedCore,
      impacts: ["alone", "api", "core", "web"],
    },
    {
      what: "a renamed project",
      changed: { "packages/core/package.json": node("kernel") },
      impacts: ["api", "core", "kernel", "web"],
    },
    neededInside,
  ],
};

const inner = { "packages/core/inner/package.json": node("inner"), "packages/core/inner/index.js": "1;\n" };

export const yarn: Scenario = {
  name: "easily missed",
  tool: null,
  files: {
    ...nodeFiles,
    ...inner,
    "yarn.lock": "",
    "packages/core/package.json": node("core", {}, { workspaces: ["inner"] }),
    "packages/alone/package.json": node("alone", { inner: "workspace:^" }),
  },
  changes: [
    {
      what: "a package inside another that is none any more, so that the other gains its files",
      changed: { "packages/core/inner/package.json": null },
      impacts: ["alone", "api", "core", "inner", "web"],
    },
    {
      what: "the list of workspaces of a package, which is no longer a workspace of its own",
      changed: { "packages/core/package.json": node("core") },
      impacts: ["alone", "api", "core", "inner", "web"],
    },
    {
      what: "a file of a package around another",
      changed: { "packages/core/index.js": "2;\n" },
      impacts: { allBecause: "packages/core/index.js may belong to more than one package, or to none" },
    },
  ],
};

export const npm: Scenario = {
  name: "easily missed",
  tool: null,
  files: {
    ...nodeFiles,
    "vendor/own/package.json": node("own", { core: "*" }),
    "packages/alone/package.json": node("alone", { own: "file:../../vendor/own" }),
  },
  changes: [
    {
      what: "a package that another needs through one of no workspace",
      changed: { "packages/core/index.js": "2;\n" },
      impacts: ["alone", "api", "core", "web"],
    },
    {
      what: "a renamed package whose dependents keep the old name",
      changed: { "packages/core/package.json": node("kernel") },
      impacts: ["alone", "api", "core", "kernel", "web"],
    },
    {
      what: "a package of no workspace",
      changed: { "vendor/own/index.js": "2;\n" },
      impacts: { allBecause: "vendor/own/index.js may belong to more than one package, or to none" },
    },
    neededInside,
  ],
};

const module = "module example.org/shop\n\ngo 1.19\n";

export const go: Scenario = {
  name: "easily missed",
  tool: "go",
  files: {
    "go.mod": `${module}\nrequire example.org/lib v0.0.0\n\nreplace example.org/lib => ./lib\n`,
    "main.go": 'package main\n\nimport _ "example.org/shop/api"\n\nfunc main() {}\n',
    "lib/go.mod": "module example.org/lib\n\ngo 1.19\n",
    "lib/lib.go": "package lib\n",
    "core/core.go": 'package core\n\nimport _ "example.org/lib"\n',
    "core/core_test.go": "package core\n",
    "api/api.go": 'package api\n\nimport _ "example.org/shop/core"\n',
    "web/web.go": "package web\n",
    "web/web_test.go": '//go:build integration\n\npackage web\n\nimport _ "example.org/shop/alone"\n',
    "e2e/e2e_test.go": '//go:build e2e\n\npackage e2e\n\nimport _ "example.org/shop/alone"\n',
    "alone/alone.go": "package alone\n",
    Makefile: "all:\n",
  },
  changes: [
    ...["Makefile", "db/schema.sql", "compose.yml", "core/schema.sql"].map((path) => ({
      what: `a file at the top, or beside Go files: ${path}`,
      changed: { [path]: "2\n" },
      impacts: { allBecause: `${path} may belong to more than one package, or to none` },
    })),
    {
      what: "a removed package whose importers stay",
      changed: { "core/core.go": null, "core/core_test.go": null },
      // Go no longer lists the module that it imported.
      impacts: ["example.org/lib", "example.org/shop", "example.org/shop/api", "example.org/shop/core"],
    },
    {
      what: "a module of the repository that replaces another",
      changed: { "lib/lib.go": "package lib\n\nconst One = 1\n" },
      impacts: ["example.org/lib", "example.org/shop", "example.org/shop/api", "example.org/shop/core"],
    },
    {
      what: "a package that tests behind build tags import",
      changed: { "alone/alone.go": "package alone\n\nconst One = 1\n" },
      impacts: ["example.org/shop/alone", "example.org/shop/e2e", "example.org/shop/web"],
    },
  ],
};

const crate = (name: string, more = "") =>
  `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n\n${more}`;

export const cargo: Scenario = {
  name: "easily missed",
  tool: "cargo",
  files: {
    "Cargo.toml": crate(
      "widgets",
      '[dependencies]\napi = { path = "crates/api" }\n\n[workspace]\nmembers = ["crates/*"]\nexclude = ["vendor"]\n\n[patch.crates-io]\npatched = { path = "vendor/patched" }\n',
    ),
    "src/main.rs": "fn main() {}\n",
    "crates/core/Cargo.toml": crate("widgets-core"),
    "crates/core/src/lib.rs": "",
    "crates/api/Cargo.toml": crate("api", '[dependencies]\nown = { path = "../../vendor/own" }\n'),
    "crates/api/src/lib.rs": "",
    "vendor/own/Cargo.toml": crate("own", '[dependencies]\nwidgets-core = { path = "../../crates/core" }\n'),
    "vendor/own/src/lib.rs": "",
    "vendor/patched/Cargo.toml": crate("patched"),
    "vendor/patched/src/lib.rs": "",
    "vendor/unused/Cargo.toml": crate("unused"),
  },
  changes: [
    ...["proto/api.proto", "Makefile", "vendor/unused/new.rs"].map((path) => ({
      what: `a file of no crate, with one at the top: ${path}`,
      changed: { [path]: "2\n" },
      impacts: { allBecause: `${path} may belong to more than one package, or to none` },
    })),
    {
      what: "a crate that is excluded, and needed by its path",
      changed: { "vendor/own/src/lib.rs": "// 2\n" },
      impacts: ["api", "own", "widgets"],
    },
    {
      what: "a crate that is needed through one that is excluded",
      changed: { "crates/core/src/lib.rs": "// 2\n" },
      impacts: ["api", "own", "widgets", "widgets-core"],
    },
    {
      what: "a crate that replaces one from elsewhere",
      changed: { "vendor/patched/src/lib.rs": "// 2\n" },
      impacts: { allBecause: "the pull request changes patched, which the workspace substitutes" },
    },
    {
      what: "the sources of the crate at the top",
      changed: { "src/main.rs": "// 2\n" },
      impacts: ["widgets"],
    },
  ],
};
