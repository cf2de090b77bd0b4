import { describe, expect, test } from "@jest/globals";
import { listensTo } from "../../src/command/branch-filter.ts";
import { parseWorkflow } from "../../src/command/parse-workflow.ts";

const listens = (on: string, branch: string) => {
  const { push } = parseWorkflow(`on: ${on}\njobs: {}\n`) ?? {};
  return push ? listensTo(push, branch) : null;
};

describe("the push trigger of a workflow", () => {
  test.each([
    ["push", "a/b", true],
    ["[pull_request, push]", "a/b", true],
    ["pull_request", "a/b", null],
    ["{ push: }", "a/b", true],
    ["{ push: { tags: ['v*'] } }", "a/b", null],
    ["{ push: { tags: ['v*'], branches: [main] } }", "main", true],
    ["{ push: { branches: [main] } }", "a/b", false],
    ["{ push: { branches: main } }", "main", true],
    ["{ push: { branches: ['a/*'] } }", "a/b", true],
    ["{ push: { branches: ['a/*'] } }", "a/b/c", false],
    ["{ push: { branches: ['a/**'] } }", "a/b/c", true],
    ["{ push: { branches: ['**', '!a/**'] } }", "a/b", false],
    ["{ push: { branches: ['**', '!a/**', 'a/b'] } }", "a/b", true],
    ["{ push: { branches: ['v[12].[0-9]+'] } }", "v1.20", true],
    ["{ push: { branches: ['v[12].[0-9]+'] } }", "v3.1", false],
    ["{ push: { branches: ['*.x'] } }", "2ax", false],
    ["{ push: { branches-ignore: ['a/**'] } }", "a/b", false],
    ["{ push: { branches-ignore: ['a/**'] } }", "b", true],
    ["{ push: { branches: ['['] } }", "[", false],
  ])("with on: %s and the branch %s matches: %s", (on, branch, expected) => {
    expect(listens(on, branch)).toBe(expected);
  });
});

test("the jobs of a workflow have the names of their checks, as far as these are known", () => {
  const jobs = `
  build: {}
  named: { name: Unit tests }
  matrix: { strategy: { matrix: { node: [20, 22] } } }
  called: { uses: ./.github/workflows/other.yml }
  counted: { name: "Shard \${{ matrix.shard }}" }`;
  expect(parseWorkflow(`on: push\njobs:${jobs}\n`)?.jobs).toEqual([
    { name: "build", match: "exact" },
    { name: "Unit tests", match: "exact" },
    { name: "matrix (", match: "prefix" },
    { name: "called / ", match: "prefix" },
    { name: expect.any(String), match: "unknown" },
  ]);
});

test("the concurrency groups of a workflow include those of its jobs", () => {
  const text = `on: push\nconcurrency: all\njobs: { a: { concurrency: { group: one, cancel-in-progress: "\${{ true }}" } } }\n`;
  expect(parseWorkflow(text)?.concurrency).toEqual([
    { group: "all", cancelInProgress: false },
    { group: "one", cancelInProgress: "unknown" },
  ]);
});

test.each(["", "[]", "on: [", "jobs: {}", "on: push\n<<: *x\n", "x".repeat(2_000_000)])(
  "a file that is not a workflow is not parsed (case %#)",
  (text) => {
    expect(parseWorkflow(text)).toBeNull();
  },
);
