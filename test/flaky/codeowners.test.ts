import { describe, expect, test } from "@jest/globals";
import { ownersOf, parseCodeowners } from "../../src/flaky/codeowners.ts";

describe("a pattern of CODEOWNERS", () => {
  test.each([
    // From "About code owners", example by example.
    ["*", "a.txt", true],
    ["*", "deep/down/a.txt", true],
    ["*.js", "a.js", true],
    ["*.js", "src/deep/a.js", true],
    ["*.js", "src/a.jsx", false],
    ["/build/logs/", "build/logs/today/a.log", true],
    ["/build/logs/", "src/build/logs/a.log", false],
    ["docs/*", "docs/getting-started.md", true],
    ["docs/*", "docs/build-app/troubleshooting.md", false],
    ["docs/*", "src/docs/a.md", false],
    ["apps/", "apps/a.ts", true],
    ["apps/", "src/deep/apps/more/a.ts", true],
    ["apps/", "apps", false],
    ["/docs/", "docs/a/b.md", true],
    ["/docs/", "src/docs/a.md", false],
    ["/scripts/", "scripts/a.sh", true],
    ["**/logs", "logs/a", true],
    ["**/logs", "build/logs/a", true],
    ["**/logs", "deeply/nested/logs/a/b", true],
    ["**/logs", "catalogs/a", false],
    ["/apps/", "apps/github/a.ts", true],
    ["/apps/github", "apps/github/a.ts", true],
    ["/apps/github", "apps/github2/a.ts", false],
    // From gitignore(5), which GitHub follows for the rest.
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a/**/b", "ab", false],
    ["a/**", "a/x/y", true],
    ["a/**", "a", false],
    ["src/a", "src/a", true],
    ["src/a", "more/src/a", false],
    ["/*", "a", true],
    ["/*", "a/b", false],
    ["*/a", "x/a", true],
    ["*/a", "x/y/a", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["Makefile", "makefile", false],
    ["a.c", "abc", false],
    ["a+(b)", "a+(b)", true],
    ["**/**/a", "x/y/a", true],
    ["a***b", "axxb", true],
    ["my\\ file", "my file", true],
    ["/src/**/*.test.ts", "src/a.test.ts", true],
    ["/src/**/*.test.ts", "src/x/y/a.test.ts", true],
  ])("%s matches the path %s: %s", (pattern, path, isMatch) => {
    expect(ownersOf(parseCodeowners(`${pattern} @me`), path)).toEqual(isMatch ? ["@me"] : null);
  });

  test("fails fast against a path that is made to almost match it", () => {
    const codeowners = parseCodeowners(`${"**/".repeat(30)}${"*".repeat(200)}b @me`);
    expect(ownersOf(codeowners, `${"a/".repeat(200)}${"a".repeat(2_000)}`)).toBeNull();
  });
});

describe("the owners of a file", () => {
  test("are those of the last rule that matches", () => {
    const codeowners = parseCodeowners("* @all\n/src/ @org/src dev@example.com\n/src/api/ @api\n");
    expect(ownersOf(codeowners, "src/api/a.ts")).toEqual(["@api"]);
    expect(ownersOf(codeowners, "src/a.ts")).toEqual(["@org/src", "dev@example.com"]);
    expect(ownersOf(codeowners, "README.md")).toEqual(["@all"]);
  });

  test("are an empty list after a rule without owners, and null without a rule", () => {
    const codeowners = parseCodeowners("/apps/ @octocat\n/apps/github # nobody\n");
    expect(ownersOf(codeowners, "apps/github/a")).toEqual([]);
    expect(ownersOf(codeowners, "README.md")).toBeNull();
  });

  test("are parsed despite comments, blank lines and any line endings", () => {
    const codeowners = parseCodeowners("\uFEFF# who\r\n\r\n  *.ts\t@a  @b # because\r\n");
    expect(ownersOf(codeowners, "a.ts")).toEqual(["@a", "@b"]);
    expect(codeowners.issues).toEqual([]);
  });
});

describe("an invalid part of CODEOWNERS", () => {
  test.each([
    ["!src/", "PATTERN_NOT_SUPPORTED"],
    ["*.[ch]", "PATTERN_NOT_SUPPORTED"],
    ["\\#a", "PATTERN_NOT_SUPPORTED"],
    ["/", "PATTERN_NOT_SUPPORTED"],
    ["a.ts @me nobody", "OWNER_INVALID"],
    ["a.ts @-me", "OWNER_INVALID"],
  ])("is skipped and reported: %s", (line, code) => {
    const codeowners = parseCodeowners(`* @all\n${line.includes("@") ? line : `${line} @me`}`);
    expect(ownersOf(codeowners, "a.ts")).toEqual(["@all"]);
    expect(codeowners.issues).toEqual([
      { code, line: 2, message: expect.stringContaining("line 2 is skipped") },
    ]);
  });

  test("is the whole file when it is too large", () => {
    const codeowners = parseCodeowners("* @all\n".repeat(500_000));
    expect(ownersOf(codeowners, "a.ts")).toBeNull();
    expect(codeowners.issues.map(({ code }) => code)).toEqual(["FILE_TOO_LARGE"]);
  });
});
