import {
  createRandomSource,
  exponential,
  type RandomSource,
} from "../../../src/replay/workload/random-source.ts";
import {
  type Cancellation,
  inOrder,
  type SimulatedPullRequest,
  type Targets,
  type Workload,
} from "../../../src/replay/workload/workload.ts";

/** Events in a repository besides random submissions. Shares are fractions of 1. */
export interface Wildness {
  /** Factor on the arrival rate for half an hour in the middle. */
  readonly burst: number;
  readonly urgentShare: number;
  /** The share of pull requests that their authors cancel while they wait, are tested, or have merged. */
  readonly cancelShare: number;
  /** The share of pull requests that their authors push to, which evicts them, and then submit again. */
  readonly pushShare: number;
  /** The share of pull requests that impact one common target. */
  readonly hotShare: number;
  /** Duration of an outage after a third of the time. CI fails everything during it. */
  readonly outageMinutes: number;
}

const burstMinutes = 30;
/** Time from a push to the next submission of the pull request. */
const pushMinutes = 5;

/** Adds these events to a workload. Its pull requests still pass or fail as before. */
export function makeWild(workload: Workload, wild: Wildness): Workload {
  const { seed, hours } = workload.settings;
  const random = createRandomSource(seed * 7919 + 19);
  const middle = hours * 30;
  const outage = { from: hours * 20, to: hours * 20 + wild.outageMinutes };
  const pullRequests = workload.pullRequests.map((one) => ({
    ...one,
    at: crowded(one.at, middle, wild.burst),
    targets: random() < wild.hotShare ? withHot(one.targets) : one.targets,
    priority: random() < wild.urgentShare ? 0 : one.priority,
  }));
  const pushed = pullRequests.filter(() => random() < wild.pushShare);
  const cancelled = pullRequests.filter((one) => !pushed.includes(one) && random() < wild.cancelShare);
  const takenOut = (some: readonly SimulatedPullRequest[]) => some.map((one) => takeOut(one, random));
  const pushes = takenOut(pushed);
  const again = pushed.map((one, index) => ({
    ...one,
    n: pullRequests.length + index + 1,
    at: (pushes[index]?.at ?? one.at) + pushMinutes,
  }));
  return {
    ...workload,
    pullRequests: inOrder([...pullRequests, ...again]),
    cancellations: [...workload.cancellations, ...pushes, ...takenOut(cancelled)],
    ...(wild.outageMinutes > 0 ? { outages: [outage] } : {}),
  };
}

/** Compresses the submissions of a longer period into half an hour. The rest of the period has none. */
function crowded(at: number, from: number, factor: number): number {
  const isAffected = at >= from && at < from + burstMinutes * factor;
  return isAffected ? from + (at - from) / factor : at;
}

function withHot(targets: Targets): Targets {
  return targets === "ALL" ? targets : [...targets, "hot"];
}

function takeOut({ n, at, minutes }: SimulatedPullRequest, random: RandomSource): Cancellation {
  return { n, at: at + exponential(random) * minutes };
}
