/** A test of the demo's repository. */
export interface DemoTest {
  readonly suite: string;
  readonly name: string;
  /** Its failure message. */
  readonly failure: string;
}

/** Renders the JUnit report of one test run, as a test runner would write it. */
export function renderJunitReport(tests: readonly DemoTest[], failed: ReadonlySet<DemoTest>): string {
  const suites = [...Map.groupBy(tests, ({ suite }) => suite)].map(([suite, own]) => {
    const failures = own.filter((test) => failed.has(test)).length;
    const cases = own.map((test) => renderCase(test, failed.has(test)));
    return `<testsuite name="${suite}" tests="${own.length}" failures="${failures}">\n${cases.join("")}</testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="${tests.length}" failures="${failed.size}">\n${suites.join("")}</testsuites>\n`;
}

function renderCase({ suite, name, failure }: DemoTest, hasFailed: boolean): string {
  const file = `test/${suite}.test.js`;
  const inner = hasFailed
    ? `<failure message="${failure}">Error: ${failure}\n    at ${file}:12:5</failure>`
    : "";
  return `  <testcase classname="${suite}" name="${name}" file="${file}" time="0.01">${inner}</testcase>\n`;
}
