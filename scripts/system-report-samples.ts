import type { Recording } from "./report-samples.ts";

const goRetries = `package arithmetic

import (
	"os"
	"testing"
)

// failsOnce fails the test unless its marker file exists, and writes it.
func failsOnce(t *testing.T, marker string) {
	if _, err := os.Stat(marker); err == nil {
		return
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Error("not yet")
}

func TestAdd(t *testing.T)        {}
func TestSettles(t *testing.T)    { failsOnce(t, "settles") }
func TestSettlesToo(t *testing.T) { failsOnce(t, "settles-too") }
func TestRoot(t *testing.T)       { t.Skip("no roots") }
func TestEach(t *testing.T) {
	t.Run("one", func(t *testing.T) { failsOnce(t, "one") })
	t.Run("two", func(t *testing.T) { failsOnce(t, "two") })
	t.Run("three", func(t *testing.T) {})
}
`;

const unittestSample = `import unittest


class Arithmetic(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_divides(self):
        self.assertEqual(7 / 2, 3, "<unevenly>")

    def test_raises(self):
        raise ValueError("no such number")

    @unittest.skip("no roots")
    def test_roots(self):
        pass

    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual(1, 2)

    @unittest.expectedFailure
    def test_known_and_passes(self):
        pass

    def test_each(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)
`;

/** Reports of further runners that the system has to have. */
export const systemRecordings: Readonly<Record<string, Recording>> = {
  "gotestsum-reruns": {
    runner: "gotestsum 1.8.2 with --rerun-fails, on Go 1.19",
    files: { "go.mod": "module example.com/arithmetic\n\ngo 1.19\n", "retry_test.go": goRetries },
    command: ["gotestsum", "--rerun-fails=3", "--packages", "./...", "--junitfile", "report.xml"],
  },
  rspec: {
    runner: "rspec_junit_formatter 0.4.1 on RSpec 3.12",
    files: {
      "spec/arithmetic_spec.rb": `RSpec.describe "arithmetic" do
  it("adds & carries") { expect(1 + 1).to eq 2 }
  it("divides <unevenly>") { expect(7 / 2.0).to eq 3 }
  it("takes roots", skip: "no roots") { }
  it("is known to fail") { pending "known"; expect(1).to eq 2 }
  it("is known to fail, and does not") { pending "known"; expect(1).to eq 1 }
  it { expect(3).to be > 2 }
end
`,
    },
    command: ["rspec", "--format", "RspecJunitFormatter", "--out", "report.xml", "--seed", "1"],
  },
  bats: {
    runner: "bats 1.8.2",
    files: {
      "sample.bats": `@test "adds & carries" { [ $((1 + 1)) -eq 2 ]; }
@test "divides <unevenly>" { [ $((7 / 2)) -eq 4 ]; }
@test "takes roots" { skip "no roots"; }
`,
    },
    // It ends before its report is written.
    command: ["sh", "-c", "bats --report-formatter junit --output . sample.bats; sleep 1"],
  },
  nose2: {
    runner: "nose2 0.12.0",
    files: {
      "unittest.cfg":
        "[unittest]\nplugins = nose2.plugins.junitxml\n[junit-xml]\nalways-on = True\npath = report.xml\n",
      "test_sample.py": unittestSample,
    },
    command: ["nose2-3"],
  },
  "boost-test": {
    runner: "Boost.Test 1.74",
    files: {
      "sample.cpp": `#define BOOST_TEST_MODULE arithmetic
#include <boost/test/included/unit_test.hpp>
#include <stdexcept>
BOOST_AUTO_TEST_CASE(adds) { BOOST_TEST(1 + 1 == 2); }
BOOST_AUTO_TEST_CASE(divides) { BOOST_CHECK_EQUAL(7 / 2.0, 3); BOOST_CHECK_EQUAL(7 / 2.0, 4); }
BOOST_AUTO_TEST_CASE(throws) { throw std::runtime_error("no such number"); }
BOOST_AUTO_TEST_CASE(takes_roots, *boost::unit_test::disabled()) {}
BOOST_AUTO_TEST_SUITE(of_sets)
BOOST_AUTO_TEST_CASE(joins) { BOOST_TEST(true); }
BOOST_AUTO_TEST_SUITE_END()
`,
    },
    command: ["sh", "-c", "g++ -o sample sample.cpp && ./sample --logger=JUNIT,all,report.xml"],
  },
  ctest: {
    runner: "CTest 3.25.1 with --repeat",
    files: {
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.21)
project(arithmetic NONE)
enable_testing()
add_test(NAME adds COMMAND true)
add_test(NAME divides COMMAND false)
add_test(NAME takes_roots COMMAND sh -c "exit 77")
set_tests_properties(takes_roots PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME takes_logarithms COMMAND true)
set_tests_properties(takes_logarithms PROPERTIES DISABLED TRUE)
add_test(NAME settles COMMAND sh -c "test -f tried || { touch tried; exit 1; }")
add_test(NAME is_known COMMAND false)
set_tests_properties(is_known PROPERTIES WILL_FAIL TRUE)
`,
    },
    command: [
      "sh",
      "-c",
      "cmake -B build && cd build && ctest --repeat until-pass:2 --output-junit ../report.xml",
    ],
  },
  meson: {
    runner: "meson 1.0.1",
    files: {
      "meson.build": `project('arithmetic')
test('adds', find_program('true'))
test('divides', find_program('false'))
test('takes roots', find_program('sh'), args: ['-c', 'exit 77'])
test('is known', find_program('false'), should_fail: true)
test('crashes', find_program('sh'), args: ['-c', 'exit 99'])
test('speaks tap', find_program('sh'), protocol: 'tap', args: ['-c', 'echo 1..3; echo ok 1 one; echo not ok 2 two; echo ok 3 three \\# SKIP none'])
`,
    },
    command: ["sh", "-c", "meson setup build && meson test -C build"],
    report: "build/meson-logs/testlog.junit.xml",
  },
  "tap-formatter-junit": {
    runner: "TAP::Formatter::JUnit 0.11",
    files: {
      "t/sample.t": `use Test::More tests => 5;
ok(1 + 1 == 2, "adds & carries");
ok(7 / 2 == 3, "divides <unevenly>");
SKIP: { skip "no roots", 1; }
TODO: { local $TODO = "known"; ok(0, "is known to fail"); }
TODO: { local $TODO = "known"; ok(1, "is known to fail, and does not"); }
`,
    },
    command: ["sh", "-c", "prove --formatter TAP::Formatter::JUnit t > report.xml"],
  },
  "tap-harness-junit": {
    runner: "TAP::Harness::JUnit 0.42",
    files: {
      "t/sample.t": `use Test::More tests => 3;
ok(1 + 1 == 2, "adds & carries");
ok(7 / 2 == 3, "divides <unevenly>");
SKIP: { skip "no roots", 1; }
`,
    },
    command: ["prove", "--harness", "TAP::Harness::JUnit", "t"],
    environment: { JUNIT_OUTPUT_FILE: "report.xml" },
  },
  phpunit: {
    runner: "PHPUnit 9.6.7",
    files: {
      "ArithmeticTest.php": `<?php
use PHPUnit\\Framework\\TestCase;
class ArithmeticTest extends TestCase {
  public function testAdds(): void { $this->assertSame(2, 1 + 1); }
  /** @dataProvider pairs */
  public function testDivides(int $of, int $by): void { $this->assertSame(0, $of % $by); }
  public static function pairs(): array { return [[6, 2], [7, 2]]; }
  public function testRoots(): void { $this->markTestSkipped("no roots"); }
  public function testLogarithms(): void { $this->markTestIncomplete("no table"); }
  public function testRisks(): void {}
  public function testWarns(): void { trigger_error("be warned", E_USER_WARNING); }
  public function testThrows(): void { require "src/Arithmetic.php"; (new Arithmetic())->root(-1); }
}
`,
      "src/Arithmetic.php": `<?php
class Arithmetic {
  public function root(float $of): float {
    throw new RuntimeException("no <such> number");
  }
}
`,
    },
    command: ["phpunit", "--log-junit", "report.xml", "ArithmeticTest.php"],
  },
  behave: {
    runner: "behave 1.2.6",
    files: {
      "features/arithmetic.feature": `Feature: arithmetic
  Scenario: adds & carries
    When I add 1 and 1
    Then I get 2
  Scenario: adds <wrongly>
    When I add 1 and 1
    Then I get 3
  @skip
  Scenario: takes roots
    When I add 1 and 1
  Scenario: takes logarithms
    When no step says how
  Scenario: breaks
    When I break
`,
      "features/steps/steps.py": `from behave import then, when


@when("I add {a:d} and {b:d}")
def add(context, a, b):
    context.sum = a + b


@when("I break")
def break_(context):
    raise ValueError("no such number")


@then("I get {expected:d}")
def get(context, expected):
    assert context.sum == expected, f"{context.sum} is not {expected}"
`,
    },
    command: ["behave", "--junit", "--junit-directory", ".", "--tags=-skip"],
    report: "TESTS-arithmetic.xml",
  },
  "unittest-xml-reporting": {
    runner: "unittest-xml-reporting 3.2.0 on Python 3.11",
    files: {
      "test_sample.py": unittestSample,
    },
    command: ["/usr/bin/python3", "-m", "xmlrunner", "--output-file", "report.xml", "test_sample"],
  },
  "pytest-rerunfailures": {
    runner: "pytest-rerunfailures 10.2 on pytest 7.2.1",
    files: {
      "test_sample.py": `import pytest

tries = 0

def test_adds():
    assert 1 + 1 == 2
def test_divides():
    assert 7 / 2 == 3
@pytest.mark.skip(reason="no roots")
def test_roots(): pass
def test_settles():
    global tries
    tries += 1
    assert tries == 2
`,
    },
    command: ["/usr/bin/python3", "-m", "pytest", "-q", "--reruns=2", "--junitxml=report.xml"],
  },
  busted: {
    runner: "busted 2.1.1",
    files: {
      "spec/sample_spec.lua": `describe("arithmetic", function()
  it("adds & carries", function() assert.are.equal(2, 1 + 1) end)
  it("divides <unevenly>", function() assert.are.equal(3, 7 / 2) end)
  it("breaks", function() local none = nil; none.number() end)
  pending("takes roots", function() end)
  describe("of sets", function() it("joins", function() end) end)
end)
`,
    },
    command: ["busted", "--output=junit", "-Xoutput", "report.xml"],
  },
  doctest: {
    runner: "doctest 2.4.9",
    files: {
      "sample.cpp": `#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <stdexcept>
TEST_CASE("adds & carries") { CHECK(1 + 1 == 2); }
TEST_CASE("divides <unevenly>") { CHECK(7 / 2.0 == 3); CHECK(7 / 2.0 == 4); }
TEST_CASE("throws") { throw std::runtime_error("no such number"); }
TEST_CASE("takes roots" * doctest::skip()) {}
TEST_CASE("of sets") {
  SUBCASE("joins") { CHECK(true); }
  SUBCASE("meets") { CHECK(false); }
}
`,
    },
    command: ["sh", "-c", "g++ -o sample sample.cpp && ./sample --reporters=junit --out=report.xml"],
  },
  ant: {
    runner: "Ant 1.10.13 with JUnit 4.13.2",
    files: {
      "build.xml": `<project default="test">
  <path id="path"><pathelement location="classes"/><fileset dir="/usr/share/java" includes="junit4.jar hamcrest*.jar"/></path>
  <target name="test">
    <mkdir dir="classes"/>
    <javac srcdir="src" destdir="classes" classpathref="path" includeantruntime="false"/>
    <junit fork="true">
      <classpath refid="path"/>
      <formatter type="xml"/>
      <test name="org.acme.ArithmeticTest" outfile="report"/>
    </junit>
  </target>
</project>
`,
      "src/org/acme/ArithmeticTest.java": `package org.acme;

import org.junit.*;
import static org.junit.Assert.*;

public class ArithmeticTest {
  @Test public void adds() { assertEquals(2, 1 + 1); }
  @Test public void divides() { assertEquals(3, 7 / 2.0, 0.1); }
  @Test public void raises() { throw new IllegalStateException("no such number"); }
  @Ignore("no roots") @Test public void takesRoots() {}
}
`,
    },
    command: ["ant", "-q"],
  },
};
