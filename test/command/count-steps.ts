/**
 * Run as `node count-steps.ts` with a JSON array of texts on standard input. Prints for each text how often
 * blocks of the Markdown parser's code and of our own run when it is parsed as a comment. It is a separate
 * process, because counting takes longer the more code is loaded.
 */
import { Session } from "node:inspector/promises";
import { json } from "node:stream/consumers";
import { parseCommands } from "../../src/command/parse-command.ts";

const texts = (await json(process.stdin)) as readonly string[];
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const counts: number[] = [];
for (const text of texts) counts.push(await stepsFor(text));
session.disconnect();
console.log(JSON.stringify(counts));

async function stepsFor(text: string): Promise<number> {
  await session.post("Profiler.takePreciseCoverage");
  parseCommands(text, "/trainyard");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => /markdown-it|src\/command/.test(url))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0);
}
