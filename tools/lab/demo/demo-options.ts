import { parseArgs } from "node:util";
import { numberOption, wholeOption } from "../../command-options.ts";
import type { DemoOptions } from "./run-demo.ts";
import { minPullRequests } from "./scenario.ts";

export const usage = `Usage: npm run demo -- [options]

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

export const known = {
  exit: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  prs: { type: "string", default: "30" },
  seed: { type: "string", default: "1" },
  "merge-method": { type: "string", default: "merge_commit" },
  concurrency: { type: "string", default: "4" },
  mode: { type: "string", default: "single" },
  batch: { type: "boolean", default: false },
  "drop-webhooks": { type: "string", default: "0" },
  kills: { type: "string", default: "0" },
  port: { type: "string" },
} as const;

export interface DemoCommand {
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
export function parseDemoOptions(argv: readonly string[]): DemoCommand {
  const { values } = parseArgs({ args: [...argv], options: known });
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
