import { stripVTControlCharacters } from "node:util";
import { expect, test } from "@jest/globals";
import { layOut, type Row } from "../../tools/lab/demo/display.ts";

const address = "Watch the queue:  http://127.0.0.1:15086/queues/127.0.0.1%3A33571/acme/widgets/main";
const states = ["merged", "failed", "pending", "testing", null, "not_ready"] as const;

function rows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    title: `Add widget ${index + 1}`,
    state: states[index % states.length] ?? null,
    why: "waiting for build, tests, and a sentence that is longer than a narrow terminal has room for",
    isRetried: false,
  }));
}

/** How many lines of the terminal the text takes. */
function heightOf(lines: readonly string[], columns: number): number {
  const plain = lines.map(stripVTControlCharacters);
  return plain.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
}

test.each([
  [80, 24, 30],
  [80, 24, 300],
  [60, 24, 30],
  [200, 10, 12],
  [40, 12, 14],
])(
  "on a terminal of %i columns and %i rows %i pull requests leave the address visible",
  (columns, height, count) => {
    const lines = layOut([address], rows(count), { columns, rows: height });
    expect(lines[0]).toBe(address);
    // The cursor is on the line below.
    expect(heightOf(lines, columns)).toBeLessThan(height);
  },
);

test("active pull requests have room before those that have ended, and the others are counted", () => {
  const lines = layOut([address], rows(30), { columns: 80, rows: 12 }).join("\n");
  expect(lines).toContain("5 merged");
  expect(lines.match(/#\d+ .*testing/g)).toHaveLength(5);
  expect(lines).not.toMatch(/#\d+ .*merged/);
  expect(lines).toMatch(/and 23 more: .*5 merged/);
});

test("on a tall terminal all pull requests are shown in the order of their numbers", () => {
  const lines = layOut([address], rows(14), { columns: 120, rows: 50 });
  const numbers = lines.flatMap((line) => /^ +#(\d+)/.exec(line)?.[1] ?? []).map(Number);
  expect(numbers).toEqual(rows(14).map(({ number }) => number));
  expect(lines.join("\n")).not.toContain("more");
});
