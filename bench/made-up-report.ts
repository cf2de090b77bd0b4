export const testsPerSuite = 25;

/**
 * 25 tests in 7.5 kB. Five of them print something, and one fails. Without a failure, the tests print more, so that the size
 * stays the same.
 */
export function suiteOf(suite: number, fails = true): string {
  const file = `src/module${suite}/file.test.ts`;
  const cases = Array.from({ length: 25 }, (_, at) => {
    const printed =
      at % 5 === 0 ? `<system-out><![CDATA[${"printed ".repeat(fails ? 40 : 65)}]]></system-out>` : "";
    const stack = `    at Object.check (/home/runner/work/app/app/${file}:12:${at})\n`.repeat(12);
    const failure =
      fails && at === 7 ? `<failure message="expected ${suite} to be ${at}">${stack}</failure>` : "";
    const name = `module ${suite} &gt; does thing ${at} &amp; the rest of it &#x203A; always`;
    return `<testcase classname="${file}" name="${name}" file="${file}" time="0.0${at}">${failure}${printed}</testcase>\n`;
  });
  return `<testsuite name="${file}" tests="25" failures="${fails ? 1 : 0}" errors="0">${cases.join("")}</testsuite>\n`;
}

/** A whole report. Only the first `failing` suites have a failure. */
export function reportOf(suites: number, failing: number): string {
  const made = Array.from({ length: suites }, (_, suite) => suiteOf(suite, suite < failing));
  return `<testsuites>${made.join("")}</testsuites>`;
}
