import type { Command } from "commander";
import { printFailure, printJson } from "../../../src/cli/print-json.ts";
import { untilStopped } from "../../../src/cli/signals.ts";
import {
  defineTool,
  type KnownOptions,
  numberOption,
  type ValuesOf,
  wholeOption,
} from "../../command-options.ts";
import { findGitProblem, findPortProblem } from "../../sandbox/find-obstacle.ts";
import { killAtRandom } from "../disturbances.ts";
import { Display } from "./display.ts";
import { type DemoResult, renderResult, renderSoFar } from "./result.ts";
import type { DemoOptions, RunningDemo } from "./run-demo.ts";
import { minPullRequests } from "./scenario.ts";

/** Runs a command until it ends or is stopped. Returns the exit code. */
type Runner = (run: (stop: AbortSignal, needTime: () => void) => Promise<number>) => Promise<number>;

/** Adds the options of `trainyard demo`, and what it does. */
export function defineDemo(command: Command, runner: Runner): void {
  defineTool(command, { about, known, parse: parseDemoOptions }, (parsed) =>
    runner((stop, needTime) => demo(parsed, stop, needTime)),
  );
}

/**
 * Runs the standard demo on a local GitHub. When it is stopped, it judges what has merged so far. Returns the exit code: 0 when nothing is
 * wrong, 1 when something is, 2 when it could not start.
 *
 * @param needTime is called when the queue starts to work, because from then on the outcome is judged
 */
async function demo(parsed: DemoCommand, stop: AbortSignal, needTime: () => void): Promise<number> {
  const problem = await findObstacle(parsed.options.port);
  if (problem !== null) {
    printFailure("CANNOT_START", problem, parsed.json);
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
    // The end of the service breaks operations in progress.
    if (stop.aborted) return stopped;
    display.end();
    const cause = error instanceof Error ? error.message : error;
    printFailure("DEMO_BROKE_OFF", `The demo broke off: ${cause}`, parsed.json);
    return 1;
  });
  return Promise.race([played, stopped]);
}

async function play(
  { options, exit, json, kills }: DemoCommand,
  display: Display,
  onWorking: (running: RunningDemo) => void,
): Promise<number> {
  // Loading takes some time, during which the display shows that something happens.
  const { runDemo } = await import("./run-demo.ts");
  const result = await runDemo({
    ...options,
    invite: true,
    tell: (step) => display.begin(step),
    disturbances: [killAtRandom({ kills, seed: options.seed, everyMs: [100, 1_000] })],
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
  if (json) printJson(result);
  else console.error(renderResult(result, flakyTestPage));
}

/** Keeps everything running for people to try, until the process ends. */
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
  if (json) printJson({ stopped: true, ...soFar });
  else console.error(renderSoFar(soFar));
  return soFar.violations.length === 0 ? 0 : 1;
}

const about = "Without --exit it goes on until Ctrl-C.";

const known = {
  exit: { about: "end when the queue is empty, and judge what came of it" },
  json: { about: "print the result as one line of JSON" },
  prs: { value: "n", default: "30", about: `how many pull requests (at least ${minPullRequests})` },
  seed: { value: "n", default: "1", about: "decides how long CI takes" },
  "merge-method": { value: "method", default: "merge_commit", about: "merge_commit or squash" },
  concurrency: { value: "n", default: "4", about: "tests at once" },
  mode: {
    value: "mode",
    default: "single",
    about: "single, or parallel: pull requests wait only for those that impact the same",
  },
  batch: { about: "test three pull requests together, and bisect what fails" },
  "drop-webhooks": { value: "share", default: "0", about: "lose webhooks, 0 to 1" },
  kills: { value: "n", default: "0", about: "kill the service (SIGKILL) at N random moments" },
  port: { value: "n", about: "where the dashboard is (default: one that is free)" },
} as const satisfies KnownOptions;

interface DemoCommand {
  readonly options: Pick<
    DemoOptions,
    | "pullRequests"
    | "seed"
    | "concurrency"
    | "dropWebhooks"
    | "port"
    | "ciDurationMs"
    | "mergeMethod"
    | "mode"
    | "batch"
  >;
  /** Whether the demo ends when the queue is empty. */
  readonly exit: boolean;
  readonly json: boolean;
  readonly kills: number;
}

/** @throws an error that says what is wrong with the arguments */
function parseDemoOptions(values: ValuesOf<typeof known>): DemoCommand {
  const { mode, "merge-method": mergeMethod } = values;
  if (mergeMethod !== "squash" && mergeMethod !== "merge_commit")
    throw new Error("--merge-method must be squash or merge_commit.");
  if (mode !== "single" && mode !== "parallel") throw new Error("--mode must be single or parallel.");
  return {
    exit: values.exit,
    json: values.json,
    kills: wholeOption("kills", values.kills, 0, 1_000),
    options: {
      pullRequests: wholeOption("prs", values.prs, minPullRequests, 500),
      seed: wholeOption("seed", values.seed, 0, 2 ** 31),
      concurrency: wholeOption("concurrency", values.concurrency, 1, 100),
      dropWebhooks: numberOption("drop-webhooks", values["drop-webhooks"], 0, 1),
      port: values.port === undefined ? null : wholeOption("port", values.port, 1, 65_535),
      ciDurationMs: [600, 1_200],
      mergeMethod,
      mode,
      batch: values.batch,
    },
  };
}

/**
 * Finds problems that would break the demo later. Returns one line that says what to do, or null.
 *
 * @param port where the service shall listen; null = where there is room
 */
async function findObstacle(port: number | null): Promise<string | null> {
  return (await findGitProblem()) ?? (port === null ? null : findPortProblem(port));
}
