import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Records the reports in `test/flaky/fixtures/reports` that test runners have really written: installs the runners where nobody else
 * looks, lets each run a sample that passes, fails, skips and settles, and keeps what it reports. pytest is used if it is there.
 *
 *     node scripts/record-reports.ts
 */
const packages = ["jest@30.5.2", "jest-junit@17.0.0", "vitest@5.1.1", "@playwright/test@1.65.1"];
const fixtures = join(import.meta.dirname, "..", "test", "flaky", "fixtures", "reports");

interface Recording {
  readonly runner: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
}

const playwrightFiles = {
  "playwright.config.ts": `export default {
  retries: 1,
  testMatch: "*.spec.ts",
  projects: [{ name: "first" }, { name: "second" }],
  reporter: [["junit", { outputFile: "report.xml", includeRetries: process.env.RETRIES === "shown" }]],
};
`,
  "sample.spec.ts": `import { expect, test } from "@playwright/test";
test.describe("arithmetic", () => {
  test("adds & carries", () => { expect(1 + 1).toBe(2); });
  test("divides <unevenly>", () => { expect(7 / 2).toBe(3); });
  test.skip("takes roots", () => {});
  test("settles at the second attempt", ({}, info) => { expect(info.retry).toBe(1); });
  test("fails in one project", ({}, info) => { expect(info.project.name).toBe("first"); });
});
`,
};

const jestFiles = {
  "package.json": "{}",
  "sample.test.js": `jest.retryTimes(1);
let tries = 0;
describe("arithmetic", () => {
  test("adds & carries", () => expect(1 + 1).toBe(2));
  test("divides <unevenly>", () => expect(7 / 2).toBe(3));
  test.skip("takes roots", () => {});
  test.todo("takes logarithms");
  test("settles at the second attempt", () => expect(++tries).toBe(2));
  describe("of sets", () => { test("joins", () => expect([1, 2]).toEqual([1, 2])); });
});
`,
  "broken.test.js": `require("./not-there");
test("never runs", () => {});
`,
};
const jestEnvironment = { JEST_JUNIT_ADD_FILE_ATTRIBUTE: "true", JEST_JUNIT_OUTPUT_FILE: "report.xml" };

const recordings: Readonly<Record<string, Recording>> = {
  "jest-junit": {
    runner: "jest-junit 17.0.0 on Jest 30.5.2",
    files: jestFiles,
    command: ["jest", "--rootDir", ".", "--reporters=jest-junit"],
    environment: jestEnvironment,
  },
  "jest-junit-suite-errors": {
    runner: "the same, with reportTestSuiteErrors",
    files: jestFiles,
    command: ["jest", "--rootDir", ".", "--reporters=jest-junit"],
    environment: { ...jestEnvironment, JEST_JUNIT_REPORT_TEST_SUITE_ERRORS: "true" },
  },
  vitest: {
    runner: "Vitest 5.1.1",
    files: {
      "vitest.config.mjs": `export default {
  test: { include: ["*.test.ts"], reporters: [["junit", { addFileAttribute: true, outputFile: "report.xml" }]] },
};
`,
      "sample.test.ts": `import { describe, expect, test } from "vitest";
let tries = 0;
describe("arithmetic", () => {
  test("adds & carries", () => { expect(1 + 1).toBe(2); });
  test("divides <unevenly>", { retry: 1 }, () => { expect(7 / 2).toBe(3); });
  test.skip("takes roots", () => {});
  test.todo("takes logarithms");
  test("settles at the second attempt", { retry: 1 }, () => { expect(++tries).toBe(2); });
  describe("of sets", () => { test("joins", () => { expect([1, 2]).toEqual([1, 2]); }); });
});
`,
      "broken.test.ts": `import { test } from "vitest";
import "./not-there";
test("never runs", () => {});
`,
    },
    command: ["vitest", "run"],
  },
  playwright: {
    runner: "Playwright 1.65.1",
    files: playwrightFiles,
    command: ["playwright", "test"],
  },
  "playwright-retries": {
    runner: "the same, with includeRetries",
    files: playwrightFiles,
    command: ["playwright", "test"],
    environment: { RETRIES: "shown" },
  },
  "node-test": {
    runner: `node:test of Node ${process.versions.node}`,
    files: {
      "sample.test.mjs": `import assert from "node:assert/strict";
import { describe, test } from "node:test";
test("stands alone", () => {});
describe("arithmetic", () => {
  test("adds & carries", () => assert.equal(1 + 1, 2));
  test("divides <unevenly>", () => assert.equal(7 / 2, 3));
  test.skip("takes roots", () => {});
  test.todo("takes logarithms");
  describe("of sets", () => { test("joins", () => assert.deepEqual([1, 2], [1, 2])); });
});
`,
      "broken.test.mjs": `import "./not-there.mjs";
`,
    },
    command: ["node", "--test", "--test-reporter=junit", "--test-reporter-destination=report.xml"],
  },
  pytest: {
    runner: "pytest",
    files: {
      "test_sample.py": `import pytest

class TestArithmetic:
    def test_adds(self):
        assert 1 + 1 == 2
    def test_divides(self):
        assert 7 / 2 == 3, "\\x1b[31mred\\x1b[0m"
    @pytest.mark.skip(reason="no roots")
    def test_roots(self): pass
    @pytest.mark.xfail
    def test_expected(self): assert False
    @pytest.mark.parametrize("n", [1, 2])
    def test_each(self, n): print("seen", n)

@pytest.fixture
def torn():
    yield
    raise RuntimeError("teardown")

def test_fails_and_is_torn(torn):
    assert False
def test_only_torn(torn):
    print("fine")
`,
    },
    command: ["python3", "-m", "pytest", "-q", "-o", "junit_family=xunit1", "--junitxml=report.xml"],
  },
};

const home = mkdtempSync(join(tmpdir(), "reports-"));
try {
  writeFileSync(join(home, "package.json"), "{}");
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", ...packages], {
    cwd: home,
    stdio: "inherit",
  });
  for (const [name, recording] of Object.entries(recordings)) record(name, recording);
} finally {
  rmSync(home, { recursive: true, force: true });
}

function record(name: string, { runner, files, command, environment }: Recording): void {
  const place = join(home, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  const [program, ...args] = command;
  const path = `${join(home, "node_modules", ".bin")}:${process.env.PATH}`;
  const env = { ...process.env, CI: "1", NODE_OPTIONS: "", ...environment, PATH: path };
  // Runners that find a failure end with another code than 0: the report is what counts.
  const { error } = spawnSync(program, args, { cwd: place, env, stdio: "ignore" });
  if (error) return console.error(`${name}: not recorded, ${error.message}`);
  const report = readFileSync(join(place, "report.xml"), "utf8");
  writeFileSync(
    join(fixtures, `${name}.xml`),
    report.replaceAll(home, "/home/runner/work").replaceAll(`hostname="${hostname()}"`, 'hostname="runner"'),
  );
  console.log(`${name}: ${runner}`);
}
