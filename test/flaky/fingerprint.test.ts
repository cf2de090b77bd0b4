import { hash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { type Fingerprint, fingerprintOf, topFrameOf } from "../../src/flaky/failure/fingerprint.ts";

import type { TestFailure } from "../../src/flaky/report/test-execution.ts";
import { fixture, readReport } from "./read-fixture.ts";

const jest = (value: string, line: number, file = "cart.test.js") =>
  `Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 3\nReceived: ${value}
    at Object.toBe (/home/runner/work/shop/shop/src/${file}:${line}:50)
    at Promise.finally (/home/runner/work/shop/shop/node_modules/jest-circus/build/jestAdapterInit.js:18:28)`;

describe("two failures", () => {
  test.each<[string, Partial<TestFailure>, Partial<TestFailure>]>([
    ["of one assertion with other values on another line", { text: jest("3.5", 5) }, { text: jest("4", 91) }],
    [
      "of one assertion on other machines",
      { text: jest("3.5", 5) },
      { text: jest("3.5", 5).replaceAll("/home/runner/work", "/__w") },
    ],
    [
      "of one wait",
      { message: `Timeout 30000ms exceeded: "#btn-12"` },
      { message: `Timeout 15000ms exceeded: "#btn-99"` },
    ],
    [
      "of one connection",
      { message: "connect ECONNREFUSED 127.0.0.1:5432" },
      { message: "connect ECONNREFUSED 10.2.3.4:55021" },
    ],
    [
      "with other ids",
      { message: "no user 6f9619ff-8b86-d011-b42d-00cf4fc964ff" },
      { message: "no user 0b1f9a1e-3c1c-4d6f-9f6c-1e2d3c4b5a69" },
    ],
    [
      "at other times",
      { message: "late at 2026-03-02T10:15:30.123Z" },
      { message: "late at 2027-11-30T23:00:01+02:00" },
    ],
    [
      "with other addresses in memory",
      { message: "object at 0x7f3abd5f2050" },
      { message: "object at 0x55d0c0ffee10" },
    ],
    [
      "in other temporary folders",
      { message: "ENOENT: open '/tmp/a1b2/x.json'" },
      { message: "ENOENT: open '/var/folders/zz/y.json'" },
    ],
    ["in colour and without", { message: "\u001b[31mno\u001b[39m luck" }, { message: "no luck" }],
    ["in pytest's colours and without", { message: "#x1B[31mno luck#x1B[0m" }, { message: "no luck" }],
  ])("%s have one fingerprint", (_what, one, other) => {
    expect(of(one).id).toBe(of(other).id);
  });

  test.each<[string, Partial<TestFailure>, Partial<TestFailure>]>([
    ["in two files", { text: jest("3.5", 5) }, { text: jest("3.5", 5, "order.test.js") }],
    ["of two types", { type: "TypeError" }, { type: "RangeError" }],
    ["that say other things", { message: "no luck" }, { message: "no time" }],
  ])("%s have two fingerprints", (_what, one, other) => {
    expect(of(one).id).not.toBe(of(other).id);
  });
});

describe("a summary", () => {
  test.each<[Partial<TestFailure>, string]>([
    [
      { message: "expected 3.5 to be 3 // Object.is equality" },
      "expected <n> to be <n> // Object.is equality",
    ],
    [{ message: `Timeout 30000ms exceeded: "#btn-12"` }, `Timeout <n> exceeded: "#btn-<n>"`],
    [{ message: "connect ECONNREFUSED 127.0.0.1:5432" }, "connect ECONNREFUSED <address>"],
    [{ message: "GET https://example.com/a?token=abc failed" }, "GET <url> failed"],
    [{ message: "key ghp_0123456789abcdefghijABCDEFGHIJ456789 refused" }, "key <id> refused"],
    [{ message: "src/cart/total.ts: cannot read" }, "<path>: cannot read"],
    [{ message: "C:\\Users\\me\\a.txt is gone" }, "<path> is gone"],
    [
      {
        message: "Failed",
        text: "=== RUN   TestA\n    a_test.go:12: got 3.5, want 3\n--- FAIL: TestA (0.01s)",
      },
      "a_test.go:<n>: got <n>, want <n>",
    ],
    [
      {
        message: null,
        text: `Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: bad 7`,
      },
      "ValueError: bad <n>",
    ],
    [{ message: "", text: "", type: "AssertionError" }, "AssertionError"],
    [{ message: null, text: "" }, "no message"],
  ])("of %j is %s", (failure, summary) => {
    expect(of(failure).summary).toBe(summary);
  });

  test("has at most 200 characters", () => {
    expect(of({ message: "word ".repeat(100) }).summary).toHaveLength(200);
  });
});

describe("the nearest frame of the repository", () => {
  test.each([
    ["jest-junit", "arithmetic divides <unevenly>", "sample.test.js#Object.toBe"],
    ["vitest", "arithmetic > divides <unevenly>", "sample.test.ts#"],
    ["playwright", "arithmetic › divides <unevenly>", "sample.spec.ts#"],
    ["node-test", "divides <unevenly>", "sample.test.mjs#TestContext.<anonymous>"],
    ["pytest", "test_divides", "test_sample.py#"],
    ["surefire-reruns", "divides", "org.acme.ArithmeticTest#divides"],
    ["gradle-retries", "divides()", "org.acme.ArithmeticTest#divides"],
    ["gotestsum", "TestDivide/unevenly", "divide_test.go#"],
    ["nextest", "divides", "tests/main.rs#"],
    ["phpunit", "testThrows", "src/Arithmetic.php#"],
    ["xunit", "Divides(numerator: 7, denominator: 2)", "Arithmetic.cs#Acme.Tests.Arithmetic.Divides"],
  ])("is found in %s", (name, called, frame) => {
    const run = [...readReport(fixture(name)).runs].find((one) => one.name === called);
    const text = run?.attempts.find(({ failure }) => failure)?.failure?.text ?? "";
    expect(topFrameOf(text)).toBe(frame);
  });

  test("is the innermost call of a traceback", () => {
    const text = `Traceback (most recent call last):
  File "/src/a.py", line 3, in outer
  File "/src/b.py", line 9, in inner
  File "/usr/lib/python3.12/json.py", line 1, in loads`;
    expect(topFrameOf(text)).toBe("/src/b.py#inner");
  });
});

test("a failure that is made to be slow is summarized", () => {
  const hostile = [
    "a/".repeat(250_000),
    "1,".repeat(250_000),
    `${"(".repeat(500_000)}`,
    "at ".repeat(200_000),
    "0-".repeat(9_000),
  ];
  for (const text of hostile)
    expect(of({ message: text, text: `${text}\n    at ${text}` }).summary.length).toBeLessThanOrEqual(200);
});

function of(failure: Partial<TestFailure>): Fingerprint {
  const whole: TestFailure = { kind: "failure", type: null, message: null, text: "", ...failure };
  return fingerprintOf(whole, (algorithm, bytes) => hash(algorithm, bytes, "hex"));
}
