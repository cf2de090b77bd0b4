import { defaultSettings } from "../../../src/engine/model/settings.ts";
import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import { drawSettings } from "./draw-settings.ts";
import type { PlannedCommand } from "./planned-commands.ts";
import {
  type CancelWay,
  type PlannedIncident,
  type PlannedPullRequest,
  quietly,
  type ServicePlan,
  uneventful,
  type Way,
  type Withdrawal,
} from "./service-plan.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** What takes pull requests out of the queue, or forbids merging all of them. The ways of cancelling, a pause, and changes of the pull request. */
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

/** What is taken back, and what fails meanwhile. */
export interface DrawnWithdrawal {
  readonly seed: number;
  readonly taker: Taker;
  readonly calls: PlannedIncident["calls"];
  readonly kind: PlannedIncident["kind"];
  /** How long calls fail. */
  readonly seconds: number;
  /** Comments that are given just before, on each pull request. */
  readonly backlog: number;
}

/** A life in which pull requests are taken back, while calls fail or are slow, about when they could merge. */
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
