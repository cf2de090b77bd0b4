import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import { createRandomSource, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import { drawSurprises } from "./draw-surprises.ts";
import {
  type CancelWay,
  mishaps,
  objectionCodes,
  type PlannedIncident,
  type PlannedObjection,
  type PlannedPullRequest,
  quietly,
  type ServicePlan,
  uneventful,
  type Way,
  type Withdrawal,
  withdrawals,
} from "./service-plan.ts";
import { drawCommands, drawTries, type PlannedCommand } from "./virtual-maintainer.ts";
import { otherBranch } from "./virtual-repository.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/**
 * The events that take pull requests out of the queue, or forbid all merges: the ways of cancelling, a pause, and changes of the pull
 * request.
 */
export const takers = [
  "comment",
  "review",
  "label",
  "auto_merge",
  "pause",
  "draft",
  "close",
  "push",
  "retarget",
] as const;
export type Taker = (typeof takers)[number];

/** The drawn withdrawal, and the failures during it. */
export interface DrawnWithdrawal {
  readonly seed: number;
  readonly taker: Taker;
  readonly calls: PlannedIncident["calls"];
  readonly kind: PlannedIncident["kind"];
  /** How long calls fail. */
  readonly seconds: number;
  /** The number of comments that are given just before, on each pull request. */
  readonly backlog: number;
}

/** A life in which pull requests are withdrawn, around the time of their merges, while calls fail or are slow. */
export function planWithdrawal(drawn: DrawnWithdrawal): ServicePlan {
  const { seed, taker, calls, kind, seconds, backlog } = drawn;
  const random = createRandomSource(seed * 600_000_007 + 50);
  const at = Math.round((60 + random() * 100) * secondMs);
  const ms = seconds * secondMs;
  const isWithdrawn = (pr: number) => taker !== "pause" && (pr === 2 || pr === 3);
  const ways = waysOf(taker);
  const pullRequests = [1, 2, 3, 4].map((number): PlannedPullRequest => {
    const plain = { ...quietly, number, submittedAt: Math.round(random() * 5 * secondMs), reworked: null };
    if (!isWithdrawn(number)) return { ...plain, withdrawn: null, ends: "merged" };
    const withdrawn = { at, by: kindOf(taker), backAt: null };
    return { ...plain, ways, withdrawn, ends: "cancelled" };
  });
  const asked = pullRequests.flatMap(({ number: pr }) =>
    Array.from({ length: backlog }, (): PlannedCommand => {
      const early = Math.round(random() * 10 * secondMs);
      return { kind: "status", pr, at: Math.max(0, at - early) };
    }),
  );
  const pause = { kind: "pause", at, ms: ms + Math.round(random() * minuteMs) } as const;
  return {
    ...uneventful,
    seed,
    pullRequests,
    by: "comment",
    commands: taker === "pause" ? [...asked, pause] : asked,
    incident: { kind, calls, at: Math.max(0, at - Math.round(random() * 5 * secondMs)), ms },
    mergesByAdapter: random() < 0.3,
    replicas: random() < 0.7 ? 1 : 2,
    ...{ kills: [], suspensions: [], pushes: [], upheavals: [] },
    settings: { ...drawSettings(random), mode: "single", submitByAutoMerge: taker === "auto_merge" },
    scenario: { settings: defaultSettings, broken: [], clashes: [], conflicts: [], targets: {}, steps: [] },
    ...{ faults: 0, storeFaults: 0, lostWebhooks: 0 },
    calmFrom: at + ms + minuteMs,
  };
}

function waysOf(taker: Taker): { submits: Way; cancels: CancelWay } | null {
  if (taker === "label" || taker === "auto_merge") return { submits: taker, cancels: taker };
  return taker === "review" ? { submits: "comment", cancels: "review" } : null;
}

function kindOf(taker: Taker): Withdrawal {
  return taker === "draft" || taker === "close" || taker === "push" || taker === "retarget"
    ? taker
    : "cancel";
}

/** Commands about the queue of `main` are given in comments on this pull request. */
const commentedOn = 1;

/** Gives the repository a second queue in a third of the lives. Some pull requests are for it, and some move between the two. */
export function drawNextQueue(plan: ServicePlan): ServicePlan {
  const random = createRandomSource(plan.seed * 198_491_317 + 29);
  if (random() >= 0.33) return plan;
  const drawn = drawSettings(random);
  const isTroubled = plan.flake !== null || plan.mishap !== null || plan.outage !== null;
  // The other policy may evict a pull request after one failure.
  const settings = isTroubled ? { ...drawn, policy: "adaptive" as const } : drawn;
  const nextQueue = plan.by === "auto_merge" ? { ...settings, submitByAutoMerge: true } : settings;
  const based = plan.pullRequests.map((pr) => keepOnMain(drawBase(plan.seed, pr)));
  return { ...plan, nextQueue, pullRequests: based.map((pr) => drawMove(random, pr)) };
}

/** Pull requests of which only one can merge have the same base branch. */
function drawBase(seed: number, pr: PlannedPullRequest): PlannedPullRequest {
  const group = typeof pr.ends === "object" ? Number.parseInt(pr.ends.oneOf, 10) : pr.number;
  const chance = createRandomSource(seed * 217_645_177 + group * 15_487_469)();
  return group !== commentedOn && chance < 0.4 ? { ...pr, base: otherBranch } : pr;
}

/** A pull request that left `main` would make comments on it apply to the other queue. */
function keepOnMain(pr: PlannedPullRequest): PlannedPullRequest {
  const isRetargeted = pr.number === commentedOn && pr.withdrawn?.by === "retarget";
  return isRetargeted && pr.withdrawn ? { ...pr, withdrawn: { ...pr.withdrawn, by: "close" } } : pr;
}

/** Makes a pull request that would merge change its base branch, often just after it was submitted. */
function drawMove(random: RandomSource, pr: PlannedPullRequest): PlannedPullRequest {
  const [chance, length] = [random(), random()];
  const staysWhereItIs = pr.number === commentedOn || pr.ends !== "merged" || pr.withdrawn || pr.reworked;
  if (staysWhereItIs || chance >= 0.4) return pr;
  const afterMs = chance < 0.15 ? length * 20_000 : length * 4 * minuteMs;
  return { ...pr, movesAt: pr.submittedAt + 1_000 + Math.round(afterMs) };
}

export function drawSettings(random: RandomSource): Partial<QueueSettings> {
  const one = <T>(...values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  return {
    mode: one("single", "single", "parallel"),
    policy: one("adaptive", "adaptive", "fixed"),
    concurrency: one(1, 2, 4),
    batch: one(false, false, true),
    batchingMaxWaitTimeMinutes: 1,
    mergeMethod: one("merge_commit", "squash"),
    canOptimisticallyMerge: one(false, true),
    pendingFailureDepth: one(0, 0, 2),
    optimizationMode: one("off", "bisection_skip_redundant_tests"),
  };
}

/** The longest time in which people change their minds immediately. Webhooks take as long. */
const hesitationMs = 20_000;
const mostClockErrorMs = 50_000;
/** The approximate number of tests that a queue starts in a life. */
const mostTests = 12;

/**
 * In most of the lives, people use comments, the label or auto-merge. In half of the lives, drawn independently, they also give commands,
 * submit again and reset the base, and tests fail without cause.
 */
export function enlivenPlan(drawn: ServicePlan): ServicePlan {
  const plan = drawSurprises(drawNextQueue(withPeople(drawn)));
  return { ...plan, objections: drawObjections(plan), clockErrorMs: drawClockError(plan) };
}

function withPeople(drawn: ServicePlan): ServicePlan {
  const { seed, pullRequests } = drawn;
  const by = drawWay(seed);
  const settings = by === "auto_merge" ? { ...drawn.settings, submitByAutoMerge: true } : drawn.settings;
  const tries = drawTries(createRandomSource(seed * 67_867_967 + 13), pullRequests);
  const plan = { ...drawn, by, settings, commands: tries };
  const commanding = createRandomSource(seed * 15_485_863 + 5);
  if (commanding() >= 0.5) return plan;
  const commands = [...tries, ...drawCommands(commanding, pullRequests)];
  const random = createRandomSource(seed * 32_452_843 + 7);
  return {
    ...plan,
    commands,
    pullRequests: pullRequests.map((pr) => drawWithdrawal(random, pr)),
    rewinds: random() < 0.2 ? [Math.round(random() * 11 * minuteMs)] : [],
    ...(retests({ ...plan, commands }) ? drawTrouble(seed, random) : {}),
  };
}

function drawWay(seed: number): ServicePlan["by"] {
  const random = createRandomSource(seed * 49_979_687 + 11);
  if (random() >= 0.5) return createRandomSource(seed * 86_028_121 + 17)() < 0.3 ? "auto_merge" : "api";
  return random() < 0.6 ? "comment" : "label";
}

/**
 * In a third of the lives, reviewers object to some pull requests, for less time than an entry keeps its place. A push during the objection
 * would not withdraw the pull request.
 */
function drawObjections({ seed, pullRequests }: ServicePlan): PlannedObjection[] {
  const random = createRandomSource(seed * 179_424_673 + 23);
  if (random() >= 0.33) return [];
  return pullRequests.flatMap(({ number: pr, submittedAt, withdrawn }) => {
    const code = objectionCodes[Math.floor(random() * objectionCodes.length)] as PlannedObjection["code"];
    const at = submittedAt + Math.round((random() - 0.2) * 4 * minuteMs);
    const ms = Math.round(random() * 3 * minuteMs);
    return random() < 0.4 && withdrawn?.by !== "push" ? [{ pr, code, at: Math.max(0, at), ms }] : [];
  });
}

/** In a third of the lives, the clocks of the services are wrong, by less than the doctor reports as an error. */
function drawClockError({ seed }: ServicePlan): number {
  const random = createRandomSource(seed * 236_887_691 + 76);
  return random() < 0.33 ? Math.round((random() - 0.5) * 2 * mostClockErrorMs) : 0;
}

/** CI loses one test, or tests fail without cause. Never both, because that would be two failures. */
function drawTrouble(seed: number, random: RandomSource): Partial<ServicePlan> {
  const losing = createRandomSource(seed * 141_650_939 + 19);
  if (losing() < 0.6) return drawFailures(random);
  const kind = mishaps[Math.floor(losing() * mishaps.length)] as (typeof mishaps)[number];
  return { mishap: { test: 1 + Math.floor(losing() * mostTests), kind } };
}

/** A test that fails without cause, or some minutes in which every test fails. */
function drawFailures(random: RandomSource): Partial<ServicePlan> {
  if (random() < 0.5) return { flake: 1 + Math.floor(random() * mostTests) };
  const outage = { at: Math.round(random() * 9 * minuteMs), ms: Math.round(random() * 4 * minuteMs) };
  return { outage };
}

/** Whether the policy always retests a pull request before it evicts it. */
function retests({ settings, commands }: Pick<ServicePlan, "settings" | "commands">): boolean {
  const later = commands.flatMap((one) => (one.kind === "reconfigure" ? [one.settings] : []));
  return [settings, ...later].every(({ policy }) => policy === "adaptive");
}

/** Draws how a pull request is withdrawn, often at once, and whether it is submitted again. */
function drawWithdrawal(random: RandomSource, pr: PlannedPullRequest): PlannedPullRequest {
  if (!pr.withdrawn) return pr;
  const at = random() < 0.4 ? pr.submittedAt + 1_000 + Math.round(random() * hesitationMs) : pr.withdrawn.at;
  const by = withdrawals[Math.floor(random() * withdrawals.length)] as Withdrawal;
  const backAt = random() < 0.5 ? at + Math.round(random() * minuteMs) : null;
  return { ...pr, withdrawn: { at, by, backAt }, ends: backAt === null ? "cancelled" : "merged" };
}
