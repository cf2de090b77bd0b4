import MarkdownIt from "markdown-it";
import { parseCommands } from "../src/command/parse-command.ts";
import type { Benchmark } from "./benchmark.ts";
import { toRow } from "./statistics.ts";

const length = 65_536;
const command = "\n\n/trainyard merge\n";
const runs = 25;
const warmUp = 5;

/** Usual comments, and those that take a Markdown parser the longest. */
const shapes: Readonly<Record<string, string>> = {
  prose: "All is well, and nobody has anything to add to that.\n",
  paragraphs: "All is well, and nobody has anything to add to that.\n\n",
  commands: "/trainyard merge\n\n",
  emphasis: "**a*_b",
  brackets: "[",
  "long-line": `${"[".repeat(1_000)}\n/trainyard merge\n\n`,
  quotes: ">>>>>>>> a\n",
  html: "<details>\n</details>\n\n",
  definitions: "[a]: b\n",
  lists: "- a\n  - b\n",
  "short-paragraphs": "a\n\n",
  headings: "#\n",
  tables: `a|b|c|d|e|f|g|h\n-|-|-|-|-|-|-|-\n${"1\n".repeat(1_000)}`,
  "short-lines": "a\n",
};

const blocks = new MarkdownIt({ html: true });
blocks.core.ruler.enableOnly(["normalize", "block"]);

export const comments: Benchmark = {
  about: `finding the commands in a comment of 64 KiB; at most 20 ms are required. In milliseconds of processor time.
${Object.keys(shapes).join(", ")}: what it is full of
Floor: what the parser of Markdown takes for its blocks by itself, with a token for each.`,
  async *measure(tell) {
    for (const [name, shape] of Object.entries(shapes)) {
      tell(name);
      const filling = shape.repeat(Math.floor((length - command.length) / shape.length));
      const text = filling.padEnd(length - command.length) + command;
      const values = times(() => parseCommands(text, "/trainyard"));
      const floors = times(() => blocks.parse(text, {}));
      if (parseCommands(text, "/trainyard").length === 0) throw new Error(`${name}: no command was found`);
      yield toRow(`comments-${name}`, "ms", { values, floors });
    }
  },
};

/** Returns milliseconds of processor time, including garbage collection. Other work on the machine hardly affects it. */
function times(work: () => unknown): number[] {
  const measured: number[] = [];
  for (let run = 0; run < warmUp + runs; run++) {
    const began = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(began);
    if (run >= warmUp) measured.push((user + system) / 1000);
  }
  return measured;
}
