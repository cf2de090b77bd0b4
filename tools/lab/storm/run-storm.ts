import { inspect } from "node:util";
import { faultKinds, sidesOf } from "../../sandbox/faults/fault-plan.ts";
import { drawBetween } from "../../sandbox/seeded-draw.ts";
import type { DemoResult } from "../demo/result.ts";
import { type DemoOptions, type RunningDemo, runDemo } from "../demo/run-demo.ts";
import { tellProgress } from "../demo/tell-progress.ts";
import { killAtRandom } from "../service/kill-at-random.ts";
import { pausesUntil } from "../service/pauses-until.ts";
import { configurationOf, configurations } from "./configurations.ts";
import { LateApprovals } from "./late-approvals.ts";
import type { StormOptions } from "./storm-options.ts";

export interface StormRun {
  readonly seed: number;
  readonly configuration: string;
  readonly kills: number;
  /** Null when the run broke off, which is a violation. */
  readonly result: DemoResult | null;
  readonly violations: readonly string[];
}

export interface StormPace {
  readonly ciDurationMs: readonly [number, number];
  /** How long the service lives between kills, from and to. */
  readonly killEveryMs: readonly [number, number];
  readonly latencyMs: readonly [number, number];
  /** How long GitHub takes for an asynchronous merge. */
  readonly asyncMergeMs: readonly [number, number];
  /** How long GitHub may take at the end to show the true state. */
  readonly tidyMs: number;
}

const defaultPace: StormPace = {
  ciDurationMs: [200, 600],
  killEveryMs: [2_000, 14_000],
  latencyMs: [500, 20_000],
  asyncMergeMs: [40, 8_000],
  tidyMs: 90_000,
};

/** What fails besides GitHub, its webhooks, and the service. */
export interface MoreTrouble
  extends Partial<Pick<DemoOptions, "deploy" | "fetch" | "submitsByApi" | "graceMs">> {
  readonly watch?: (running: RunningDemo) => Promise<void>;
  /** Looks at the outcome before everything is closed. Returns what is wrong with it. */
  readonly judge?: (running: RunningDemo) => Promise<readonly string[]>;
}

const webhooks = { duplicate: 0.1, reorder: 0.2, delayMs: [0, 1_500] } as const;
const dropWebhooks = 0.1;

const stateLabels = {
  testing: "queue: testing",
  merged: "queue: merged",
  failed: "queue: failed",
  cancelled: "queue: cancelled",
};

/** A run takes minutes, and failed work is retried after seconds. */
const settings = {
  TRAINYARD_RECONCILE_MS: "4000",
  TRAINYARD_PUBLISH_MS: "400",
  TRAINYARD_LEASE_MS: "3000",
};

/** Runs the demo once with faults in everything around the service, and judges its outcome. */
export async function runStorm(
  options: Omit<StormOptions, "seeds" | "from" | "json">,
  seed: number,
  {
    progress = () => {},
    more = {},
    ...given
  }: Partial<StormPace> & { progress?: (text: string) => void; more?: MoreTrouble } = {},
): Promise<StormRun> {
  const pace = { ...defaultPace, ...given };
  const configuration = options.configuration ?? configurationOf(seed);
  const { kills: killsWanted, concurrency, outageMinutes } = options;
  const { watch: watchMore, judge, ...changed } = more;
  const approvals = new LateApprovals(seed);
  const refusesQueries = options.faults > 0 && (options.kinds?.includes("query_errors") ?? true);
  const found: string[] = [];
  let kills = 0;
  const watch = async (running: RunningDemo) => {
    const killing = killAtRandom(running, { kills: killsWanted, seed, everyMs: pace.killEveryMs });
    await Promise.all([
      killing.then((count) => {
        kills = count;
      }),
      outage(running, options),
      injectEachKind(running, options),
      approvals.approve(running),
      refusesQueries && approvals.refuseQueries(running),
      watchMore?.(running),
      tellProgress(running, progress),
    ]);
  };
  try {
    const result = await runDemo({
      ...configurations[configuration],
      passedPerUpload: 4,
      ...{ pullRequests: options.prs, seed, concurrency, port: null, watch },
      afterwards: async (running) => {
        found.push(...(await approvals.judge(running)), ...((await judge?.(running)) ?? []));
      },
      asyncMergeMs: drawBetween(seed, pace.asyncMergeMs, "asynchronous merge"),
      ...{ ciDurationMs: pace.ciDurationMs, dropWebhooks, webhooks, stateLabels, settings },
      faults: {
        ...{ rate: options.faults, latencyMs: [...pace.latencyMs], lastsMs: [0, 300] },
        ...{ staleMs: [200, 5_000], baseModifiedMs: [0, 4_000] },
        ...(options.kinds ? { kinds: Object.fromEntries(options.kinds.map((kind) => [kind, 1])) } : {}),
      },
      patienceMs: options.patienceMs + outageMinutes * 60_000,
      tidyMs: pace.tidyMs,
      // The webhook may be lost, and the calls that find the comment may fail several times.
      graceMs: 180_000 + outageMinutes * 60_000,
      ...changed,
    });
    return { seed, configuration, kills, result, violations: [...result.violations, ...found] };
  } catch (error) {
    return { seed, configuration, kills, result: null, violations: [`the run broke off: ${inspect(error)}`] };
  }
}

/** Makes GitHub unreachable for a while in the middle of the run. */
async function outage(
  { sandbox, finished }: RunningDemo,
  { outageMinutes, prs }: Pick<StormOptions, "outageMinutes" | "prs">,
): Promise<void> {
  if (outageMinutes === 0) return;
  const { pause, isOver } = pausesUntil(finished);
  await pause(prs * 300);
  sandbox.faults.outage(true);
  await pause(outageMinutes * 60_000);
  // A service that was killed just before may have made no call yet.
  while (!sandbox.faults.count().outage && !isOver()) await pause(100);
  sandbox.faults.outage(false);
}

const betweenKindsMs = 250;

/** Injects each kind of fault on each side once, because the calls of a short run may be too few to draw all of them. */
async function injectEachKind(
  { sandbox, finished }: RunningDemo,
  { kinds, faults }: Pick<StormOptions, "kinds" | "faults">,
): Promise<void> {
  if (faults === 0) return;
  const { pause, isOver } = pausesUntil(finished);
  for (const kind of kinds ?? faultKinds) {
    for (const side of sidesOf[kind]) {
      await pause(betweenKindsMs);
      if (isOver()) return;
      sandbox.faults.next({ kind, side });
    }
  }
}
