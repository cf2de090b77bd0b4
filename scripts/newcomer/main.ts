import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawBetween } from "../../tools/sandbox/seeded-draw.ts";
import { firstCommandOf, install, makeClone, type Place } from "./clone.ts";
import { mergeFirst } from "./first-merge.ts";
import { Report } from "./report.ts";
import { playDemo, stopDemo, stopDemoAtOnce } from "./stop-demo.ts";

const usage = `Usage: npm run newcomer -- [options]

Plays somebody who sees this repository for the first time: clones its last commit, runs the README's first command in a terminal of 80 by 24,
presses Ctrl-C at random moments, then creates a first queue on the sandbox and merges a first pull request.

  --stops N       how often Ctrl-C is pressed at a random moment (default 20); 0 leaves out the demo
  --seed N        decides the moments (default 1)
  --limit MS      how long a stopped demo may take (default 2000)
  --port N        where the service listens (default 3000)
  --link          uses the packages of this folder instead of npm ci
  --help          print this`;

const { values } = parseArgs({
  options: {
    stops: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    limit: { type: "string", default: "2000" },
    port: { type: "string", default: "3000" },
    link: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** From before npm has started the demo until pull requests have merged. */
const moments = [0, 25_000] as const;

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const directory = await mkdtemp(join(tmpdir(), "newcomer-"));
  const report = new Report();
  try {
    const place = await makeClone(directory, values.link);
    const command = await firstCommandOf(place);
    const stops = Number(values.stops);
    if (stops > 0) await tryDemo(report, place, { command, stops, limitMs: Number(values.limit) });
    else if (!values.link) await report.step("npm ci", () => install(place));
    await mergeFirst(place, Number(values.port), report);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }
  console.log(`${report.steps.length - report.failures} of ${report.steps.length} steps went well.`);
  return report.failures === 0 ? 0 : 1;
}

async function tryDemo(
  report: Report,
  place: Place,
  { command, stops, limitMs }: { command: string; stops: number; limitMs: number },
): Promise<void> {
  await report.step(`${command}, until a pull request has merged; then Ctrl-C`, () =>
    playDemo(place, command, limitMs),
  );
  const demo = command.replace("npm ci && ", "");
  for (let stop = 1; stop <= stops; stop++) {
    const afterMs = Math.round(drawBetween(stop, moments, `newcomer ${values.seed}`));
    await report.step(`${demo}, Ctrl-C after ${afterMs} ms (${stop} of ${stops})`, () =>
      stopDemo(place, demo, { afterMs, limitMs }),
    );
  }
  await report.step(`${demo}, Ctrl-C twice`, () => stopDemoAtOnce(place, demo, { afterMs: 3_000, limitMs }));
}

process.exitCode = await main();
