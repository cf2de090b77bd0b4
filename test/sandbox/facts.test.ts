import { expect, test } from "@jest/globals";
import { judgeFacts } from "../../tools/sandbox/ci/facts.ts";
import { skipsCi } from "../../tools/sandbox/ci/triggers.ts";

const judge = (files: Record<string, unknown>) => {
  const list = Object.entries(files).map(([path, facts]) => ({
    path,
    content: typeof facts === "string" ? facts : JSON.stringify(facts),
  }));
  const verdicts = judgeFacts(list, ["build", "test", "lint"]);
  return Object.fromEntries(
    [...verdicts].map(([check, { conclusion, reasons }]) => [check, [conclusion, ...reasons]]),
  );
};

const green = { build: ["success"], test: ["success"], lint: ["success"] };

test("a tree without facts, or with facts that agree, is green", () => {
  expect(judge({})).toEqual(green);
  expect(judge({ "facts/a.json": { sets: ["x"], forbids: ["y"] }, "facts/b.json": { sets: ["x"] } })).toEqual(
    green,
  );
});

test("a malformed or broken facts file fails only the build", () => {
  const verdicts = judge({
    "facts/a.json": "{",
    "facts/b.json": { broken: true },
    "facts/c.json": { sets: "x" },
    "facts/d.json": [],
    "facts/e.json": { broken: false },
  });
  expect(verdicts).toEqual({
    ...green,
    build: [
      "failure",
      "facts/a.json is malformed",
      "facts/b.json is broken",
      "facts/c.json is malformed",
      "facts/d.json is malformed",
    ],
  });
});

test("a fact that one file sets and another forbids fails every check but the build", () => {
  const one = { sets: ["x"] };
  const two = { forbids: ["x"] };
  expect(judge({ "facts/one.json": one })).toEqual(green);
  expect(judge({ "facts/two.json": two })).toEqual(green);
  const reason = 'facts/one.json sets "x", which facts/two.json forbids';
  expect(judge({ "facts/one.json": one, "facts/two.json": two })).toEqual({
    build: ["success"],
    test: ["failure", reason],
    lint: ["failure", reason],
  });
});

test("a commit message skips CI only with GitHub's keywords", () => {
  for (const words of ["[skip ci]", "[CI skip]", "[no ci]", "[skip actions]", "[actions skip]"]) {
    expect(skipsCi(`Fix a typo ${words}`)).toBe(true);
  }
  expect(skipsCi("Fix\n\nBody\n\n\nskip-checks: true")).toBe(true);
  expect(skipsCi("Fix\n\n\nskip-checks:true\nSigned-off-by: A")).toBe(false);
  expect(skipsCi("Skip CI when idle")).toBe(false);
});
