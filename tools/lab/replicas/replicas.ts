import { parseArgs } from "node:util";
import { wholeOption } from "../../command-options.ts";
import { describeRun } from "../demo/result.ts";
import { minPullRequests } from "../demo/scenario.ts";
import type { Experiment, ExperimentOptions } from "../experiment.ts";
import { type ReplicasOptions, runReplicas } from "./run-replicas.ts";

const usage = `Usage: npm run lab -- replicas [options]

Runs the demo on several services that share one PostgreSQL server, behind a balancer that sends each request and each
webhook to any of them. Replicas are killed (SIGKILL) and replaced, and the server crashes and recovers. At the end
everything must be as the truth demands, and no two replicas may have held one piece of work at the same time.

  --prs N         how many pull requests (at least ${minPullRequests}, default 100)
  --replicas N    how many services (default 3)
  --kills N       kills of a replica (default: one for every 5 pull requests)
  --crashes N     crashes of the database server (default 2)
  --concurrency N tests at once (default 8)
  --seed N        decides what is killed when (default 1)
  --json          print the result as one line of JSON
  --help          print this`;

const known = {
  prs: { type: "string", default: "100" },
  replicas: { type: "string", default: "3" },
  kills: { type: "string" },
  crashes: { type: "string", default: "2" },
  concurrency: { type: "string", default: "8" },
  seed: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
} as const;

function parse(argv: readonly string[]): ReplicasOptions & ExperimentOptions {
  const { values } = parseArgs({ args: [...argv], options: known });
  const pullRequests = wholeOption("prs", values.prs, minPullRequests, 500);
  return {
    pullRequests,
    replicas: wholeOption("replicas", values.replicas, 1, 20),
    kills:
      values.kills === undefined ? Math.ceil(pullRequests / 5) : wholeOption("kills", values.kills, 0, 1_000),
    crashes: wholeOption("crashes", values.crashes, 0, 100),
    concurrency: wholeOption("concurrency", values.concurrency, 1, 100),
    seed: wholeOption("seed", values.seed, 0, 2 ** 31),
    killEveryMs: [2_000, 6_000],
    ciDurationMs: [600, 1_200],
    patienceMs: 300_000,
    json: values.json,
  };
}

/** The demo on several services. */
export const replicas: Experiment<ReplicasOptions & ExperimentOptions> = {
  ...{ name: "lab replicas", usage, known, parse },
  async play(options, report) {
    const result = await runReplicas({ ...options, progress: report.progress });
    const name = `seed ${options.seed}`;
    report.run({ name, line: describeRun(result), violations: result.violations, json: result });
    return `${options.replicas} replicas`;
  },
};
