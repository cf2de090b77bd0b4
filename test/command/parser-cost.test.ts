import { Session } from "node:inspector/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseCommands } from "../../src/command/parse-command.ts";

/** Texts that Markdown parsers are known to take long for. */
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
  `${"[".repeat(1_000)}\n/trainyard merge\n\n`,
  `${"**a*_b".repeat(100)}\n/trainyard merge\n\n`,
];

describe("what the parser does for a comment grows with its length", () => {
  test.each(shapes.map((shape) => [JSON.stringify(shape).slice(0, 40), shape]))(
    "of %s",
    async (_name, shape) => {
      await stepsFor(shape, 1_024);
      const short = await stepsFor(shape, 16_384);
      const long = await stepsFor(shape, 65_536);
      expect(short).toBeGreaterThan(0);
      expect(long).toBeLessThanOrEqual(4.2 * short);
    },
  );
});

let session: Session;

beforeAll(async () => {
  session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
});
afterAll(() => session.disconnect());

/** How often any block of the parser's and of our code is run for so many characters of a shape, with a command behind. */
async function stepsFor(shape: string, length: number): Promise<number> {
  const text = `${shape.repeat(length / shape.length)}\n\n/trainyard merge`;
  await session.post("Profiler.takePreciseCoverage");
  parseCommands(text, "/trainyard");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const counts = result
    .filter(({ url }) => /markdown-it|src\/command/.test(url))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
  return counts.reduce((sum, count) => sum + count, 0);
}
