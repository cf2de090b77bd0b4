import type { Scenario } from "./scenario.ts";

const crate = (name: string, more = "") =>
  `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n\n${more}`;

export const cargo: Scenario = {
  tool: "cargo",
  files: {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n',
    "crates/core/Cargo.toml": crate("widgets-core", '[dependencies]\nserde = "1"\n'),
    "crates/core/src/lib.rs": "",
    "crates/api/Cargo.toml": crate("api", '[dependencies]\nwidgets-core = { path = "../core" }\n'),
    "crates/api/src/lib.rs": "",
    "crates/web/Cargo.toml": crate("web", '[dev-dependencies]\napi = { path = "../api" }\n'),
    "crates/web/src/lib.rs": "",
    "crates/alone/Cargo.toml": crate("alone"),
    "crates/alone/src/lib.rs": "",
  },
  changes: [
    {
      what: "a file of a crate that others need, be it in tests",
      changed: { "crates/core/src/deep/new.rs": "// new\n" },
      impacts: ["api", "web", "widgets-core"],
    },
    {
      what: "a file of a crate that none needs",
      changed: { "crates/alone/src/lib.rs": "// new\n" },
      impacts: ["alone"],
    },
    {
      what: "a new crate",
      changed: {
        "crates/new/Cargo.toml": crate("new", '[build-dependencies]\nalone = { path = "../alone" }\n'),
        "crates/new/src/lib.rs": "",
      },
      impacts: ["new"],
    },
    {
      what: "a removed crate",
      changed: { "crates/alone/Cargo.toml": null, "crates/alone/src/lib.rs": null },
      impacts: ["alone"],
    },
    {
      what: "the workspace's manifest",
      changed: { "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nresolver = "1"\n' },
      impacts: { allBecause: "the pull request changes Cargo.toml, which impact-all-paths names" },
    },
  ],
};

export const go: Scenario = {
  tool: "go",
  files: {
    "go.work": "go 1.19\n\nuse (\n\t./shop\n\t./tools\n)\n",
    "shop/go.mod": "module example.org/shop\n\ngo 1.19\n",
    "shop/core/core.go": "package core\n",
    // `example.com/not/here` is in another module, which this repository does not contain.
    "shop/api/api.go":
      'package api\n\nimport (\n\t_ "example.org/shop/core"\n\t_ "example.com/not/here"\n)\n',
    "shop/web/web.go": "package web\n",
    "shop/web/web_test.go":
      'package web_test\n\nimport (\n\t_ "example.org/shop/api"\n\t"testing"\n)\n\nfunc TestWeb(t *testing.T) {}\n',
    "tools/go.mod": "module example.org/tools\n\ngo 1.19\n",
    "tools/gen/gen.go": 'package main\n\nimport _ "example.org/shop/core"\n\nfunc main() {}\n',
    "tools/alone/alone.go": "package alone\n",
  },
  changes: [
    {
      what: "a package that others import, from another module and in tests",
      changed: { "shop/core/core.go": "package core\n\nconst One = 1\n" },
      impacts: [
        "example.org/shop/api",
        "example.org/shop/core",
        "example.org/shop/web",
        "example.org/tools/gen",
      ],
    },
    {
      what: "test data of a package that none imports",
      changed: { "tools/alone/testdata/new.txt": "1\n" },
      impacts: ["example.org/tools/alone"],
    },
    {
      what: "a package that embeds what another step builds",
      changed: {
        "tools/alone/alone.go":
          'package alone\n\nimport _ "embed"\n\n//go:embed dist/page.html\nvar page string\n',
      },
      impacts: {
        allBecause:
          "example.org/tools/alone embeds files that are not committed: pattern dist/page.html: no matching files found; commit a placeholder",
      },
    },
    {
      what: "a package that cannot be read",
      changed: { "tools/alone/alone.go": "no go\n" },
      impacts: { allBecause: "Go cannot read a package" },
    },
    {
      what: "a file of no package",
      changed: { "README.md": "1\n" },
      impacts: {
        allBecause:
          "README.md may belong to more than one package, or to none, and no line of targets-paths names it",
      },
    },
    {
      what: "a module's requirements",
      changed: { "shop/go.mod": "module example.org/shop\n\ngo 1.18\n" },
      impacts: { allBecause: "the pull request changes shop/go.mod, which impact-all-paths names" },
    },
  ],
};

const copy = (name: string, source: string) =>
  `genrule(name = "${name}", srcs = ["${source}"], outs = ["${name}.out"], cmd = "cp $< $@", visibility = ["//visibility:public"])\n`;
const rule = (result: string) =>
  `def _checked(ctx):\n    return ${result}\n\nchecked = rule(implementation = _checked, attrs = {"src": attr.label(allow_single_file = True)})\n`;

export const bazel: Scenario = {
  tool: "bazel",
  files: {
    WORKSPACE: "",
    BUILD: "",
    "defs.bzl": rule("[]"),
    "lib/BUILD": copy("lib", "a.txt"),
    "lib/a.txt": "a\n",
    "app/BUILD": `load("//:defs.bzl", "checked")\n\n${copy("app", "//lib:lib.out")}checked(name = "check", src = "app.out")\n`,
    "alone/BUILD": `${copy("alone", "b.txt")}filegroup(name = "old")\n`,
    "alone/b.txt": "b\n",
    "docs/guide.md": "How to\n",
  },
  changes: [
    {
      what: "a file that a target is made from, and others from that",
      changed: { "lib/a.txt": "else\n" },
      impacts: ["//app:app", "//app:check", "//lib:a.txt", "//lib:lib"],
    },
    {
      what: "a target's definition, and a removed target",
      changed: { "alone/BUILD": copy("alone", "b.txt").replace("cp $<", "cp -f $<") },
      impacts: ["//alone:BUILD", "//alone:alone", "//alone:old"],
    },
    {
      what: "a line before a target, which stays the same",
      changed: { "lib/BUILD": `# Said.\n\n${copy("lib", "a.txt")}` },
      impacts: ["//lib:BUILD"],
    },
    {
      what: "what a rule does",
      changed: { "defs.bzl": rule("[DefaultInfo()]") },
      impacts: ["//app:check"],
    },
    {
      what: "a file that Bazel does not know",
      changed: { "docs/guide.md": "Else\n" },
      impacts: { allBecause: "Bazel does not list docs/guide.md, and no line of targets-paths names it" },
    },
    {
      what: "a file that Bazel does not know, but targets-paths does",
      changed: { "docs/guide.md": "Else\n", "lib/a.txt": "else\n" },
      rules: "docs: docs/**",
      impacts: ["//app:app", "//app:check", "//lib:a.txt", "//lib:lib", "docs"],
    },
    {
      what: "a package that cannot be read",
      changed: { "lib/BUILD": "genrule(\n" },
      impacts: { allBecause: "bazel query ended with exit code" },
    },
    {
      what: "the workspace's definition",
      changed: { WORKSPACE: "# Else\n" },
      impacts: { allBecause: "the pull request changes WORKSPACE, which impact-all-paths names" },
    },
  ],
};
