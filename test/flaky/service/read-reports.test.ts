import { expect, test } from "@jest/globals";
import { nothingKnown } from "../../../src/flaky/report/collect-runs.ts";
import { defaultReportLimits } from "../../../src/flaky/report/fault.ts";
import { readReports } from "../../../src/flaky/service/uploads/read-reports.ts";

const bytesOf = (report: string) => [Buffer.from(report)];

test("the failure texts of an upload with several reports share the limit of one report", async () => {
  const { failureText, failureTexts, shortFailureText } = defaultReportLimits;
  const failure = `<failure>${"x".repeat(failureText)}</failure>`;
  const failing = (count: number) =>
    bytesOf(`<testsuite>${`<testcase name="fails">${failure}</testcase>`.repeat(count)}</testsuite>`);
  const sent = [failing(failureTexts / failureText), failing(1)].map((pieces, index) => ({
    path: `${index}.xml`,
    pieces: ReadableStream.from(pieces),
  }));
  const { reports } = await readReports(sent, nothingKnown());
  const lengths = reports.map(({ runs }) => [...runs][0]?.attempts[0]?.failure?.text.length);
  expect(lengths).toEqual([failureText, shortFailureText]);
});

const cases = 20_000;
const report = Buffer.from(`<testsuite>${'<testcase name="turns"/>'.repeat(cases)}</testsuite>`);

test.each([
  ["one piece", report.length],
  ["many pieces that are there at once", 1_024],
])("other work is not blocked while a long report is read that came in %s", async (_case, length) => {
  async function* pieces() {
    for (let at = 0; at < report.length; at += length) yield report.subarray(at, at + length);
  }
  let turns = 0;
  const count = () => {
    turns += 1;
    turning = setImmediate(count);
  };
  let turning = setImmediate(count);
  const { reports } = await readReports([{ path: "a.xml", pieces: pieces() }], nothingKnown());
  clearImmediate(turning);
  expect(reports).toMatchObject([{ cases, fault: null }]);
  expect(turns).toBeGreaterThan(20);
});
