import type { Recording } from "./report-samples.ts";

const mochaFiles = {
  "sample.spec.js": `const assert = require("node:assert/strict");
let tries = 0;
describe("arithmetic", function () {
  this.retries(1);
  it("adds & carries", () => assert.equal(1 + 1, 2));
  it("divides <unevenly>", () => assert.equal(7 / 2, 3));
  it.skip("takes roots", () => {});
  it("settles at the second attempt", () => assert.equal(++tries, 2));
  describe("of sets", () => {
    before(() => { throw new Error("no sets"); });
    it("joins", () => {});
  });
});
`,
};

const bunFiles = {
  "sample.test.ts": `import { describe, expect, test } from "bun:test";
let tries = 0;
describe("arithmetic", () => {
  test("adds & carries", () => { expect(1 + 1).toBe(2); });
  test("divides <unevenly>", () => { expect(7 / 2).toBe(3); });
  test.skip("takes roots", () => {});
  test.todo("takes logarithms");
  test("settles at the second attempt", () => { expect(++tries).toBe(2); }, { retry: 1 });
  describe("of sets", () => { test("joins", () => { expect([1, 2]).toEqual([1, 2]); }); });
});
`,
};

/** Reports of further runners that npm has. */
export const npmRecordings: Readonly<Record<string, Recording>> = {
  "mocha-junit-reporter": {
    runner: "mocha-junit-reporter 2.2.1 on Mocha 11.7.5",
    files: mochaFiles,
    command: [
      "mocha",
      "--reporter=mocha-junit-reporter",
      "--reporter-option=mochaFile=report.xml",
      "sample.spec.js",
    ],
  },
  "mocha-xunit": {
    runner: "the reporter xunit of Mocha 11.7.5",
    files: mochaFiles,
    command: ["mocha", "--reporter=xunit", "--reporter-option=output=report.xml", "sample.spec.js"],
  },
  cucumber: {
    runner: "@cucumber/cucumber 12.9.0 with --retry",
    files: {
      "features/arithmetic.feature": `Feature: arithmetic
  Scenario: adds & carries
    When I add 1 and 1
    Then I get 2
  Scenario: adds <wrongly>
    When I add 1 and 1
    Then I get 3
  Scenario: takes roots
    When I skip the rest
    Then I get 2
  Scenario: takes logarithms
    When no step says how
  Scenario: settles at the second attempt
    When I try twice
  Scenario Outline: adds <a>
    When I add <a> and 1
    Then I get <sum>
    Examples:
      | a | sum |
      | 2 | 3   |
      | 4 | 6   |
`,
      "features/steps.js": `const assert = require("node:assert/strict");
const { Then, When } = require("@cucumber/cucumber");
let sum = 0;
let tries = 0;
When("I add {int} and {int}", (a, b) => { sum = a + b; });
When("I skip the rest", () => "skipped");
When("I try twice", () => assert.equal(++tries, 2));
Then("I get {int}", (expected) => assert.equal(sum, expected));
`,
    },
    command: ["cucumber-js", "--retry=1", "--format=junit:report.xml"],
  },
  bun: {
    runner: "Bun 1.4.5",
    files: bunFiles,
    command: ["bun", "test", "--reporter=junit", "--reporter-outfile=report.xml"],
  },
  deno: {
    runner: "Deno 2.9.6",
    files: {
      "sample.test.ts": `Deno.test("adds & carries", () => {});
Deno.test("divides <unevenly>", () => { throw new Error("got 3.5, want 3"); });
Deno.test.ignore("takes roots", () => {});
Deno.test("of sets", async (t) => {
  await t.step("joins", () => {});
  await t.step("meets", () => { throw new Error("no meeting"); });
  await t.step({ name: "differs", ignore: true, fn: () => {} });
});
`,
    },
    command: ["deno", "test", "--no-check", "--junit-path=report.xml"],
  },
  "tap-xunit": {
    runner: "tap-xunit 2.4.1 on tape 5.10.2",
    files: {
      "sample.js": `const test = require("tape");
test("adds & carries", (t) => { t.equal(1 + 1, 2, "the sum"); t.end(); });
test("divides <unevenly>", (t) => { t.equal(7 / 2, 3, "the quotient"); t.end(); });
test("takes roots", (t) => { t.pass("the root", { skip: true }); t.end(); });
test.skip("takes logarithms", (t) => { t.end(); });
`,
    },
    command: ["sh", "-c", "tape sample.js | tap-xunit > report.xml"],
  },
  "eslint-formatter-junit": {
    runner: "eslint-formatter-junit 9.0.1 on ESLint 10.15.0",
    files: {
      "package.json": "{}",
      "eslint.config.js": `module.exports = [{ rules: { "no-undef": "error", "no-var": "error" } }];
`,
      "clean.js": "const a = 1;\n",
      "wrong.js": 'var a = "<b>" + c;\n',
    },
    command: ["eslint", "--format=junit", "--output-file=report.xml", "clean.js", "wrong.js"],
  },
  jasmine: {
    runner: "jasmine-reporters 2.5.2 on Jasmine 7.0.0",
    files: {
      "package.json": "{}",
      "spec/support/jasmine.json": `{"spec_dir": "spec", "spec_files": ["*.spec.js"], "helpers": ["helper.js"], "random": false}`,
      "spec/helper.js": `const { JUnitXmlReporter } = require("jasmine-reporters");
jasmine.getEnv().addReporter(new JUnitXmlReporter({ savePath: ".", filePrefix: "report", consolidateAll: true }));
`,
      "spec/sample.spec.js": `describe("arithmetic", () => {
  it("adds & carries", () => { expect(1 + 1).toBe(2); });
  it("divides <unevenly>", () => { expect(7 / 2).toBe(3); expect(7 / 2).toBe(4); });
  xit("takes roots", () => {});
  it("takes logarithms", () => { pending("no table"); });
  describe("of sets", () => { it("joins", () => { expect([1, 2]).toEqual([1, 2]); }); });
});
`,
    },
    command: ["jasmine"],
  },
  newman: {
    runner: "Newman 6.2.2",
    files: {
      "collection.json": `{
  "info": { "name": "arithmetic", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  "item": [{
    "name": "sums",
    "request": "http://localhost:{{port}}/",
    "event": [{ "listen": "test", "script": { "exec": [
      "pm.test('adds & carries', () => pm.expect(pm.response.json().sum).to.equal(2));",
      "pm.test('divides <unevenly>', () => pm.expect(7 / 2).to.equal(3));",
      "pm.test.skip('takes roots', () => {});"
    ] } }]
  }]
}
`,
      "serve.mjs": `import { spawn } from "node:child_process";
import { createServer } from "node:http";
const server = createServer((_request, response) => response.end('{"sum": 2}')).listen(0, () => {
  const port = "port=" + server.address().port;
  const options = ["--env-var", port, "--reporters", "junit", "--reporter-junit-export", "report.xml"];
  spawn("newman", ["run", "collection.json", ...options]).on("exit", () => server.close());
});
`,
    },
    command: ["node", "serve.mjs"],
  },
};
