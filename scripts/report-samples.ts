/** The files that a runner gets, and the command that starts it. */
export interface Recording {
  readonly runner: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: "report.xml". */
  readonly report?: string;
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

const subtestFiles = {
  "test_sample.py": `import pytest
import unittest

def test_each(subtests):
    for n in range(3):
        with subtests.test(msg="number", n=n):
            assert n != 1
def test_all_fine(subtests):
    for n in range(2):
        with subtests.test(n=n):
            assert n < 2
def test_fails_itself(subtests):
    with subtests.test("first"):
        assert False
    assert 1 == 2
def test_takes_roots(subtests):
    with subtests.test("two"):
        pytest.skip("no roots")
    with subtests.test("four"):
        pass

class OfUnittest(unittest.TestCase):
    def test_each(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 2)
`,
};

type Artifact = readonly [group: string, artifact: string, version: string];

const jupiter: Artifact = ["org.junit.jupiter", "junit-jupiter", "5.11.3"];

/** A Maven project that Surefire tests. Failed tests run twice more. */
function surefire(
  version: string,
  reported: string,
  junit: Artifact,
  classes: Readonly<Record<string, string>>,
): Recording {
  const [group, artifact, junitVersion] = junit;
  const plugin = (name: string, its: string, more = "") =>
    `<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-${name}-plugin</artifactId><version>${its}</version>${more}</plugin>`;
  const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.acme</groupId><artifactId>arithmetic</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${junitVersion}</version><scope>test</scope></dependency>
  </dependencies>
  <build><plugins>
    ${plugin("surefire", version, "<configuration><rerunFailingTestsCount>2</rerunFailingTestsCount></configuration>")}
    ${plugin("resources", "3.3.1")}
    ${plugin("compiler", "3.13.0")}
  </plugins></build>
</project>
`;
  const sources = Object.entries(classes).map(([name, text]) => [
    `src/test/java/org/acme/${name}.java`,
    `package org.acme;\n\n${text}`,
  ]);
  return {
    runner: `Surefire ${version} with rerunFailingTestsCount, on ${artifact} ${junitVersion}`,
    files: { "pom.xml": pom, ...Object.fromEntries(sources) },
    command: ["mvn", "-q", "test"],
    report: `target/surefire-reports/TEST-org.acme.${reported}.xml`,
  };
}

export const recordings: Readonly<Record<string, Recording>> = {
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
  "pytest-subtests": {
    runner: "pytest 9, which has subtests of its own",
    files: subtestFiles,
    command: ["python3", "-m", "pytest", "-q", "--junitxml=report.xml"],
  },
  "minitest-junit": {
    runner: "minitest-junit 2.1.0 on minitest 5.17",
    files: {
      "sample_test.rb": `require "minitest/autorun"

class ArithmeticTest < Minitest::Test
  def test_adds = assert_equal(2, 1 + 1)
  def test_divides = assert_equal(3, 7 / 2.0)
  def test_takes_roots = skip("no roots")
  def test_raises = raise(ArgumentError, "no such number")
end
`,
    },
    command: ["ruby", "sample_test.rb", "--junit", "--junit-filename=report.xml", "--seed=1"],
  },
  "gotestsum-test-main": {
    runner: "gotestsum 1.8.2 on Go 1.19",
    files: {
      "go.mod": "module example.com/arithmetic\n\ngo 1.19\n",
      "open/open_test.go": `package open

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { m.Run(); println("the database is still open"); os.Exit(3) }
func TestAdd(t *testing.T)  {}
func TestRoot(t *testing.T) { t.Skip("no roots") }
`,
      "unready/unready_test.go": `package unready

import (
	"os"
	"testing"
)

func TestMain(m *testing.M)     { println("no database"); os.Exit(1) }
func TestSubtract(t *testing.T) {}
`,
      "plain/plain_test.go": `package plain

import "testing"

func TestDivide(t *testing.T) { t.Error("got 3.5, want 3") }
`,
    },
    command: ["gotestsum", "--junitfile", "report.xml", "./..."],
  },
  "surefire-junit4": surefire("2.22.3", "ArithmeticTest", ["junit", "junit", "4.13.2"], {
    ArithmeticTest: `import org.junit.*;
import static org.junit.Assert.*;

public class ArithmeticTest {
  static int settling;
  static int settlingLate;
  @Test public void adds() { assertEquals(2, 1 + 1); }
  @Test public void settles() { assertTrue("not yet", ++settling > 1); }
  @Test public void settlesLate() { if (++settlingLate < 3) throw new IllegalStateException("try " + settlingLate); }
  @Test public void divides() { assertEquals(3, 7 / 2.0, 0.1); }
  @Ignore("no roots") @Test public void takesRoots() {}
}
`,
  }),
  "surefire-nested": surefire("3.5.2", "ArithmeticTest$Division", jupiter, {
    ArithmeticTest: `import org.junit.jupiter.api.*;
import static org.junit.jupiter.api.Assertions.*;

class ArithmeticTest {
  @Test void adds() { assertEquals(2, 1 + 1); }
  @Test void subtracts() { fail("no subtraction"); }
  @RepeatedTest(3) void multiplies(RepetitionInfo info) { assertNotEquals(2, info.getCurrentRepetition()); }
  @Nested class Division {
    @Test void divides() { assertEquals(3, 7 / 2.0); }
    @Test void dividesEvenly() {}
  }
}
`,
  }),
  "surefire-before-all": surefire("3.5.2", "UnreadyTest", jupiter, {
    UnreadyTest: `import org.junit.jupiter.api.*;

class UnreadyTest {
  static int tries;
  @BeforeAll static void open() { if (++tries == 1) throw new IllegalStateException("no database"); }
  @Test void reads() {}
  @Test void writes() {}
}
`,
  }),
};
