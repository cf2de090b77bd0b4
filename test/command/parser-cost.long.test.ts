import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";

/** Texts that are known to be slow in Markdown parsers. */
const shapes = [
  "All is well.\n",
  "All is well.\n\n",
  "/trainyard merge\n",
  "/trainyard merge\n\n",
  "> ",
  ">>>>>>>> a\n",
  "- a\n",
  "- a\n  - b\n",
  "> - a\n",
  "[",
  "[a](b",
  "![a]",
  "[a]: b\n",
  "**a*_b",
  "` `` ",
  "<a ",
  "<details>\n\n",
  "<div><!-- \n\n",
  "| a |\n|---|\n",
  "\\",
  "&a",
  "\n",
  "\r",
  "#\n",
  "- - - - - - - - a\n",
  "+ a\n- ",
  "a|b\n-|-\n",
  `a|b\n-|-\n${"1\n".repeat(300)}`,
  `${"[".repeat(1_000)}\n/trainyard merge\n\n`,
  `${"**a*_b".repeat(100)}\n/trainyard merge\n\n`,
];

/** A shape repeated to about the given length, followed by a command. */
function textOf(shape: string, length: number): string {
  return `${shape.repeat(length / shape.length)}\n\n/trainyard merge`;
}

describe("the parser's work grows in proportion to the length of a comment", () => {
  const lengths = [1_024, 16_384, 65_536];
  const counter = join(import.meta.dirname, "count-steps.ts");
  const texts = shapes.flatMap((shape) => lengths.map((length) => textOf(shape, length)));
  const counted: number[] = JSON.parse(
    execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", counter], {
      input: JSON.stringify(texts),
      encoding: "utf8",
    }),
  );

  test.each(shapes.map((shape, index): [string, number] => [JSON.stringify(shape).slice(0, 40), index]))(
    "of repeated %s",
    (_name, index) => {
      // The first text only warms up.
      const [, short = 0, long] = counted.slice(index * lengths.length);
      expect(short).toBeGreaterThan(0);
      // With quadratic growth, it would be 16 times as much.
      expect(long).toBeLessThanOrEqual(5 * short);
    },
  );
});

/** The counter above does not include regular expressions. In quadratic time, 512 KiB would take minutes. */
test.each([
  ["a long name of an element", "<div>\n<", "a"],
  ["a long element that does not end", "<div>\n<a", " "],
  ["many names of elements", "<div>\n", "<a "],
  ["many comments of HTML", "<div>\n", "<!--"],
  ["many spaces", "", " "],
  ["many beginnings", "", "   /trainyard"],
  ["many quotation marks", "/trainyard merge ", '"a'],
  ["a long argument", "/trainyard merge --", "="],
])(
  "a comment with %s is parsed in less than quadratic time",
  (_name, beginning, piece) => {
    const text = `${JSON.stringify(beginning)} + ${JSON.stringify(piece)}.repeat(${524_288 / piece.length})`;
    const script = `import { parseCommands } from ${JSON.stringify(parser)};
    console.log(parseCommands(${text} + "\\n\\n/trainyard merge", "/trainyard").length);`;
    const found = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      timeout: 60_000,
    });
    expect(Number(found)).toBeGreaterThanOrEqual(0);
  },
  70_000,
);

const parser = new URL("../../src/command/parse-command.ts", import.meta.url).href;
