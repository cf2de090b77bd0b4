import { describe, expect, it } from "@jest/globals";
import { joinHistories, statusOf, type TestHistory } from "../../src/flaky/detection/history.ts";
import { newLineHistory } from "../../src/flaky/detection/line-history.ts";
import type { StatusChange, TestStatus } from "../../src/flaky/detection/status.ts";

const change = (status: TestStatus, at: number): StatusChange => ({
  ...{ status, at },
  reason: { code: "FLIPPED_ON_ONE_TREE", tree: String(at), episodes: 1 },
});

/** A history with one status on each line since the given time. */
function historyOf(lines: Readonly<Record<string, TestStatus>>, at: number): TestHistory {
  const entries = Object.entries(lines).map(
    ([line, status]) => [line, { ...newLineHistory(0), status: change(status, at) }] as const,
  );
  const [[, first] = ["", newLineHistory(0)]] = entries;
  return { changes: [newLineHistory(0).status, first.status], lines: Object.fromEntries(entries) };
}

const statuses = ({ lines }: TestHistory) =>
  Object.fromEntries(Object.entries(lines).map(([line, { status }]) => [line, [status.status, status.at]]));

describe("the joined history of a renamed test", () => {
  it("has the lines of both names, and the changes of the earlier one", () => {
    const before = historyOf({ main: "FLAKY" }, 1);
    const joined = joinHistories(before, historyOf({ release: "HEALTHY" }, 2));
    expect(statuses(joined)).toEqual({ main: ["FLAKY", 1], release: ["HEALTHY", 2] });
    expect(joined.changes).toEqual(before.changes);
  });

  it("has the more severe status of a line that both names have, and that of the earlier name if they are equal", () => {
    const before = historyOf({ main: "HEALTHY", release: "FLAKY", next: "FLAKY" }, 1);
    const after = historyOf({ main: "FLAKY", release: "BROKEN", next: "FLAKY" }, 2);
    const joined = joinHistories(before, after);
    expect(statuses(joined)).toEqual({ main: ["FLAKY", 2], release: ["FLAKY", 1], next: ["FLAKY", 1] });
    expect(statusOf(joined).status).toBe("FLAKY");
  });
});
