import { untilStopped } from "../../../src/cli/signals.ts";
import { between, flag, oneOf, readOptions, type ValuesOf, whole } from "../../command-options.ts";
import { findGitProblem, findPortProblem } from "../../sandbox/find-obstacle.ts";
import { killAtRandom } from "../disturbances.ts";
import { Display } from "./display.ts";
import { type DemoResult, renderResult, renderSoFar } from "./result.ts";
import type { RunningDemo } from "./run-demo.ts";
import { minPullRequests } from "./scenario.ts";

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
  const parsed = readOptions(argv, { name: "demo", usage, options });
  if (typeof parsed === "number") return parsed;
  const { port } = parsed;
  const problem = (await findGitProblem()) ?? (port === null ? null : await findPortProblem(port));
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
  { exit, json, kills, prs, ...given }: DemoCommand,
  display: Display,
  onWorking: (running: RunningDemo) => void,
): Promise<number> {
  // Loading takes a while, and the display shows that something happens.
  const { runDemo } = await import("./run-demo.ts");
  const result = await runDemo({
    ...given,
    ...{ pullRequests: prs, ciDurationMs: [600, 1_200], invite: true },
    tell: (step) => display.begin(step),
    disturbances: [killAtRandom({ kills, seed: given.seed, everyMs: [100, 1_000] })],
    watch: (running) => {
      onWorking(running);
      return display.follow(running);
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
  const { judgeSoFar } = await import("../judge/judge-demo.ts");
  const soFar = await judgeSoFar(running);
  if (json) console.log(JSON.stringify({ stopped: true, ...soFar }));
  else console.error(renderSoFar(soFar));
  return soFar.violations.length === 0 ? 0 : 1;
}

const usage = `Usage: npm run demo -- [options]

  --exit                   end when the queue is empty, and judge what came of it
  --json                   print the result as one line of JSON
  --prs N                  how many pull requests (at least ${minPullRequests}, default 30)
  --seed N                 decides how long CI takes (default 1)
  --merge-method METHOD    merge_commit (default) or squash
  --concurrency N          tests at once (default 4)
  --mode MODE              single (default), or parallel: pull requests wait only for those that impact the same
  --batch                  test three pull requests together, and bisect what fails
  --drop-webhooks SHARE    lose webhooks, 0 to 1 (default 0)
  --kills N                kill the service (SIGKILL) at N random moments (default 0)
  --port N                 where the dashboard is (default: one that is free)
  --help                   print this`;

const options = {
  exit: flag,
  json: flag,
  prs: whole(30, minPullRequests, 500),
  seed: whole(1, 0, 2 ** 31),
  mergeMethod: oneOf(["squash", "merge_commit"], "merge_commit"),
  concurrency: whole(4, 1, 100),
  mode: oneOf(["single", "parallel"], "single"),
  batch: flag,
  dropWebhooks: between(0, 0, 1),
  kills: whole(0, 0, 1_000),
  port: whole(null, 1, 65_535),
};

type DemoCommand = ValuesOf<typeof options>;
