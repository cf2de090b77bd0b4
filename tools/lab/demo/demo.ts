import { untilStopped } from "../../../src/cli/signals.ts";
import { readOptions } from "../../command-options.ts";
import { killAtRandom } from "../service/kill-at-random.ts";
import { type DemoCommand, known, parseDemoOptions, usage } from "./demo-options.ts";
import { Display } from "./display/display.ts";
import { findObstacle } from "./find-obstacle.ts";
import { renderResult, renderSoFar } from "./render-result.ts";
import type { DemoResult } from "./result.ts";
import type { RunningDemo } from "./run-demo.ts";

/**
 * `trainyard demo`: runs the standard demo on a local GitHub. When it is stopped, it judges what has merged so far. Returns the
 * exit code: 0 when nothing is wrong, 1 when something is, 2 when it could not start.
 *
 * @param needTime is called when the queue starts to work: from then on there is something to judge
 */
export async function demo(
  argv: readonly string[],
  stop: AbortSignal,
  needTime: () => void,
): Promise<number> {
  const parsed = readOptions(argv, { name: "demo", usage, known, parse: parseDemoOptions });
  if (typeof parsed === "number") return parsed;
  const problem = await findObstacle(parsed.options.port);
  if (problem !== null) {
    console.error(problem);
    return 2;
  }
  const display = new Display(process.stderr);
  display.begin("Starting a local GitHub");
  const { promise: working, resolve: onWorking } = Promise.withResolvers<RunningDemo>();
  const stopped = untilStopped(stop).then(async () => endEarly(await working, parsed, display));
  const played = play(parsed, display, (running) => {
    onWorking(running);
    needTime();
  }).catch((error: unknown) => {
    // The end of the service breaks what is still going on.
    if (stop.aborted) return stopped;
    display.end();
    console.error(`The demo broke off: ${error instanceof Error ? error.message : error}`);
    return 1;
  });
  return Promise.race([played, stopped]);
}

async function play(
  { options, exit, json, kills }: DemoCommand,
  display: Display,
  onWorking: (running: RunningDemo) => void,
): Promise<number> {
  // Loading takes a while, and the display shows that something happens.
  const { runDemo } = await import("./run-demo.ts");
  const result = await runDemo({
    ...options,
    invite: true,
    tell: (step) => display.begin(step),
    watch: async (running) => {
      onWorking(running);
      await Promise.all([
        display.follow(running),
        killAtRandom(running, { kills, seed: options.seed, everyMs: [100, 1_000] }),
      ]);
    },
    afterwards: async (running, judged) => {
      display.end();
      tell(judged, json, running.flakyTestPage);
      if (!exit) await stay(running);
    },
  });
  return result.violations.length === 0 ? 0 : 1;
}

function tell(result: DemoResult, json: boolean, flakyTestPage: string): void {
  if (json) console.log(JSON.stringify(result));
  else console.error(renderResult(result, flakyTestPage));
}

/** Keeps everything running so that people can try it by hand. It ends when the process does. */
async function stay({ invitation, page }: RunningDemo): Promise<never> {
  console.error(`
The queue is empty. Everything stays up until Ctrl-C.
Watch the queue: ${page}
Try it by hand: open ${invitation} and comment "/trainyard merge" as alice.`);
  return new Promise(() => {});
}

/** Judges what has merged so far. Everything that still runs ends with the process. */
async function endEarly(running: RunningDemo, { json }: DemoCommand, display: Display): Promise<number> {
  display.end();
  console.error("Stopping: judging what has merged so far. Ctrl-C again ends at once, without a judgement.");
  const { judgeSoFar } = await import("../judge/judge-so-far.ts");
  const soFar = await judgeSoFar(running);
  if (json) console.log(JSON.stringify({ stopped: true, ...soFar }));
  else console.error(renderSoFar(soFar));
  return soFar.violations.length === 0 ? 0 : 1;
}
