import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { globalFileFinder } from "../../src/action/providers/global-files.ts";
import { compileGlob, compileGlobs, globOf, includes } from "../../src/action/targets/globs.ts";
import { PathMatcher, parsePathRules } from "../../src/action/targets/path-rules.ts";
import { findReports } from "../../src/action/test-reports/find-reports.ts";

describe("a glob", () => {
  test.each([
    ["*.ts", ["a.ts", ".ts"], ["a/b.ts", "a.tsx"]],
    ["**/*.md", ["README.md", "docs/deep/a.md"], ["README.mdx"]],
    ["**.md", ["README.md", "docs/deep/a.md"], ["README.mdx"]],
    ["src/**", ["src/a", "src/.b/c"], ["src", "srcs/a"]],
    ["**", ["a", ".b/c"], []],
    ["{a,b}/**", ["a/b", "b/c/d"], ["a", "c/a/b"]],
    ["src/", ["src/a/b"], ["src"]],
    ["./src/*", ["src/a"], ["src/a/b"]],
    ["a/**/z", ["a/z", "a/b/c/z"], ["az", "a/bz"]],
    ["{api,lib}/*.{ts,js}", ["api/a.ts", "lib/b.js"], ["web/a.ts", "api/a.css"]],
    ["v[0-9]/?", ["v1/a"], ["vx/a", "v1/ab", "v1//"]],
    ["v[!0-9]/a", ["vx/a"], ["v1/a", "v//a"]],
    ["app/\\[slug\\]/*", ["app/[slug]/page.tsx"], ["app/s/page.tsx"]],
    ["a+b(c)|$.^", ["a+b(c)|$.^"], ["aab"]],
  ])("%s matches only the expected paths", (glob, matching, others) => {
    const pattern = compileGlob(glob);
    expect(matching.filter((path) => !pattern.test(path))).toEqual([]);
    expect(others.filter((path) => pattern.test(path))).toEqual([]);
  });

  test.each(["a[", "{a", "a}", "[]", "[z-a]"])("%s is rejected as invalid", (glob) => {
    expect(() => compileGlob(glob)).toThrow(SyntaxError);
  });
});

describe("targets-paths rules", () => {
  test("accept target names with colons, comments, empty lines, and globs with commas in braces", () => {
    const text = "# all\n\n//api:lib: api/**, {a,b}/x  # and b\r\nweb: web/**\nweb: web.config.js\n";
    expect(parsePathRules(text)).toEqual({
      rules: [
        { target: "//api:lib", globs: ["api/**", "{a,b}/x"] },
        { target: "web", globs: ["web/**"] },
        { target: "web", globs: ["web.config.js"] },
      ],
      problems: [],
    });
  });
});

describe("targets-paths rules", () => {
  const rules = parsePathRules(
    "a: a/**, ./lib/*.ts\nb: b/deep/x*.ts\nroot: *.json\ndocs: **.md\nz: [a]/{b,c}",
  ).rules;

  test.each([
    ["a/b/c.ts", ["a"]],
    ["a/README.md", ["a", "docs"]],
    ["a/b", ["a", "z"]],
    ["lib/x.ts", ["a"]],
    ["b/deep/x1.ts", ["b"]],
    ["b/deep/y.ts", []],
    ["b/other/x1.ts", []],
    ["package.json", ["root"]],
    ["b/package.json", []],
  ])("for %s give the matching targets, independent of earlier lookups", (path, expected) => {
    const alone = new Set<string>();
    expect(new PathMatcher(rules).addTargets(path, alone)).toBe(expected.length > 0);
    const after = new PathMatcher(rules);
    for (const other of ["b/deep/z", "a/z", "c"]) after.names(other);
    const found = new Set<string>();
    after.addTargets(path, found);
    expect([[...alone], [...found]]).toEqual([expected, expected]);
    expect(after.names(path)).toBe(expected.length > 0);
  });
});

describe("a list of globs with exclusions", () => {
  test.each([
    ["docs/**, !docs/openapi.yml", ["docs/a.md", "docs/openapi/b"], ["docs/openapi.yml", "a"]],
    ["docs/**, !docs/api/**, docs/api/index.md", ["docs/a.md", "docs/api/index.md"], ["docs/api/b.md"]],
    ["!docs/api.md, docs/**", ["docs/api.md"], ["api.md"]],
    ["**, !**.md, !{a,b}/", ["c/x", "x"], ["a/x", "b/c/x", "c/README.md"]],
    ["\\!x, a!b", ["!x", "a!b"], ["x"]],
  ])("%s includes a path if the last glob that matches does", (list, included, others) => {
    const globs = compileGlobs(list.split(/, (?![^{]*\})/));
    expect(included.filter((path) => !includes(globs, path))).toEqual([]);
    expect(others.filter((path) => includes(globs, path))).toEqual([]);
  });

  test("gives the targets of targets-paths, and names the files that none covers", () => {
    const { rules } = parsePathRules("none: docs/**, !docs/openapi.yml\napi: api/**, !**.md, api/USAGE.md");
    const targets = (path: string) => {
      const found = new Set<string>();
      return new PathMatcher(rules).addTargets(path, found) ? [...found] : null;
    };
    expect(["docs/a.md", "docs/openapi.yml", "api/a.ts", "api/a.md", "api/USAGE.md"].map(targets)).toEqual([
      ["none"],
      null,
      ["api"],
      null,
      ["api"],
    ]);
  });

  test("takes files out of the default of impact-all-paths", () => {
    const find = globalFileFinder("impact-all-paths", ["default", "!docs/**"], "npm");
    expect(find(["docs/yarn.lock"])).toBeNull();
    expect(find(["docs/yarn.lock", "web/yarn.lock"])).toContain("web/yarn.lock");
  });

  test("takes reports out of junit-paths", async () => {
    const directory = await mkdtemp(join(tmpdir(), "trainyard-reports-"));
    for (const name of ["a/unit.xml", "a/summary.xml", "b/summary.xml"]) {
      await mkdir(join(directory, dirname(name)), { recursive: true });
      await writeFile(join(directory, name), "<testsuite/>");
    }
    const found = await findReports(["**/*.xml", "!**/summary.xml", "b/*"], directory, null);
    expect(found.reports.map(({ path }) => path)).toEqual(["a/unit.xml", "b/summary.xml"]);
    expect(found.found).toBe(2);
    await rm(directory, { recursive: true });
  });

  test("finds reports behind links, and counts a link to nothing as a report that is missing", async () => {
    const directory = await mkdtemp(join(tmpdir(), "trainyard-reports-"));
    await mkdir(join(directory, "out/deep"), { recursive: true });
    await writeFile(join(directory, "out/deep/unit.xml"), "<testsuite/>");
    for (const [link, target] of [
      ["linked", "out"],
      ["out/deep/up", "../.."],
      ["latest.xml", "out/deep/unit.xml"],
      ["gone.xml", "nothing"],
    ] as const)
      await symlink(target, join(directory, link));
    const found = await findReports(["linked/**/*.xml", "*.xml"], directory, null);
    expect(found.reports.map(({ path }) => path)).toEqual(["latest.xml", "linked/deep/unit.xml"]);
    expect(found.found).toBe(3);
    await rm(directory, { recursive: true });
  });

  test("is refused if nothing is included", () => {
    expect(parsePathRules("api: !docs/**").problems).toEqual([
      "line 1 has only globs that exclude (!docs/**); begin with one that includes, such as **",
    ]);
  });

  test("can name a file that begins with an exclamation mark", () => {
    expect(includes(compileGlobs([globOf("!filters.yml")]), "!filters.yml")).toBe(true);
  });
});
