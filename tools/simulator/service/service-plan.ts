import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import type { CodeHostErrorKind } from "../../../src/ports/code-host/code-host.ts";
import { createRandomSource, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import type { Scenario } from "../soak/scenario.ts";
import { drawSettings, enlivenPlan } from "./draw-withdrawals.ts";

import type { PlannedCommand } from "./virtual-maintainer.ts";
import { type BaseBranch, branch, type Upheaval, upheavals } from "./virtual-repository.ts";
import type { PlannedRequirements } from "./virtual-requirements.ts";

const minuteMs = 60_000;

/** When every life starts, in milliseconds since the epoch. */
export const startsAt = Date.UTC(2026, 0, 5, 9);

/** The ways of the first draw. */
export const withdrawals = ["cancel", "push", "close", "retarget"] as const;
export type Withdrawal = (typeof withdrawals)[number] | "draft";

/** How people give commands. */
export const ways = ["api", "comment", "label", "auto_merge"] as const;
export type Way = (typeof ways)[number];

/** `review`: a command in a review, without waiting for an answer. */
export type CancelWay = Way | "review";

/** A person's actions on a pull request, and its required end. */
export interface PlannedPullRequest {
  readonly number: number;
  readonly submittedAt: number;
  /** When its author withdraws it, and submits it again; null = never. */
  readonly withdrawn: { readonly at: number; readonly by: Withdrawal; readonly backAt: number | null } | null;
  /** The branch that it is opened against. */
  readonly base: BaseBranch;
  /** When its author changes its base branch to the other one, and submits it to the queue there; null = never. */
  readonly movesAt: number | null;
  /** When somebody merges it at the code host; null = never. */
  readonly mergedByHandAt: number | null;
  /** The pull request that its description names as a dependency; null = none. */
  readonly dependsOn: number | null;
  /** How its author submits and withdraws it; null = as `by` of the plan. */
  readonly ways: { readonly submits: Way; readonly cancels: CancelWay } | null;
  /** How long CI takes to upload the impacted targets of a head. */
  readonly uploadsAfterMs: number;
  /** For a draft: when it gets a new head, and when it is marked as ready afterwards; null = it is no draft. */
  readonly reworked: { readonly pushedAt: number; readonly readyAt: number } | null;
  /** `one_of`: exactly one pull request of the group merges. */
  readonly ends: "merged" | "failed" | "cancelled" | { readonly oneOf: string };
}

export const objectionCodes = ["CHANGES_REQUESTED", "REVIEW_REQUIRED", "CONVERSATIONS_OPEN"] as const;
export interface PlannedObjection {
  readonly pr: number;
  readonly code: (typeof objectionCodes)[number];
  readonly at: number;
  readonly ms: number;
}

/** `silent`: no check ever appears. `hung`: none ever ends. `cancelled`: they end as cancelled. */
export const mishaps = ["silent", "hung", "cancelled"] as const;
/** `test`: the number of the first test to which it can happen, counted from 1. It happens once. */
export interface Mishap {
  readonly test: number;
  readonly kind: (typeof mishaps)[number];
}

/** Calls fail in the same way for some time, or are slow: about half of the kinds, all changes, all calls, or the named ones. */
export interface PlannedIncident {
  readonly kind: CodeHostErrorKind | "slow";
  readonly calls: "half" | "changes" | "all" | readonly string[];
  readonly at: number;
  readonly ms: number;
}

/** One life of a service. Times are in milliseconds since its start. */
export interface ServicePlan {
  readonly seed: number;
  readonly settings: Partial<QueueSettings>;
  readonly pullRequests: readonly PlannedPullRequest[];
  /** The settings of a queue of the branch `next`; null = only `main` has a queue. */
  readonly nextQueue: Partial<QueueSettings> | null;
  /** How people give commands. `label` and `auto_merge`: what these cannot express is said in comments. */
  readonly by: Way;
  /** The number of equal services that share the database. */
  readonly replicas: number;
  /** By how much their clocks are ahead of the code host's; negative = behind it. */
  readonly clockErrorMs: number;
  /** The times at which a replica is killed, the replicas in turn. */
  readonly kills: readonly number[];
  /** When a replica is suspended, and for how long, the replicas in turn. */
  readonly suspensions: readonly { readonly at: number; readonly ms: number }[];
  /** When no replica runs, and for how long: all are frozen, or stopped. Null = never. */
  readonly downtime: { readonly at: number; readonly ms: number; readonly isFrozen: boolean } | null;
  /** The times at which somebody pushes to a base, the bases in turn. */
  readonly pushes: readonly number[];
  /** The times at which somebody resets `main` to its first commit. */
  readonly rewinds: readonly number[];
  readonly commands: readonly PlannedCommand[];
  /** When somebody objects to a pull request, and for how long. */
  readonly objections: readonly PlannedObjection[];
  /** Events of the repository, or of the App on it, and how long they last. */
  readonly upheavals: readonly { readonly kind: Upheaval; readonly at: number; readonly ms: number }[];
  /** The truth about the pull requests. */
  readonly scenario: Scenario;
  /** The number of the test that fails without cause, counted from 1; null = none. */
  readonly flake: number | null;
  /** The mishap of one test of CI; null = none. */
  readonly mishap: Mishap | null;
  /** When every test fails; null = never. */
  readonly outage: { readonly at: number; readonly ms: number } | null;
  readonly incident: PlannedIncident | null;
  /** When only urgent pull requests may merge, by `.github/trainyard.yml`; null = never. */
  readonly freeze: { readonly at: number; readonly ms: number } | null;
  /** Which checks are required when; null = always all of them, by the rules of the branch. */
  readonly requirements: PlannedRequirements | null;
  /** The times at which somebody re-runs the last test that has ended. */
  readonly reruns: readonly number[];
  /** The share of calls to the code host that fail, and of its webhooks that are lost. */
  readonly faults: number;
  /** The share of transactions that cannot begin. */
  readonly storeFaults: number;
  readonly lostWebhooks: number;
  /** The share of webhooks that come minutes late. */
  readonly lateWebhooks: number;
  /** The share of lists that are some seconds old. */
  readonly laggingLists: number;
  /** The share of GraphQL queries about pull requests that are answered with errors, if the adapter merges. */
  readonly refusedQueries: number;
  /** Whether the service's adapter for GitHub builds and merges, call by call; otherwise the simulated code host does that in its place. */
  readonly mergesByAdapter: boolean;
  /** Whether the service's adapter writes comments, checks and reactions; otherwise the simulated code host does. */
  readonly publishesByAdapter: boolean;
  /** From this time on, nothing goes wrong any more. */
  readonly calmFrom: number;
}

/** A pull request into `main` without unusual events. */
export const quietly = {
  base: branch,
  movesAt: null,
  mergedByHandAt: null,
  dependsOn: null,
  ways: null,
  uploadsAfterMs: 0,
} as const;

/** A life without unusual events. */
export const uneventful = {
  by: "api",
  nextQueue: null,
  commands: [],
  rewinds: [],
  objections: [],
  flake: null,
  mishap: null,
  outage: null,
  incident: null,
  freeze: null,
  requirements: null,
  lateWebhooks: 0,
  laggingLists: 0,
  refusedQueries: 0,
  mergesByAdapter: false,
  publishesByAdapter: false,
  downtime: null,
  reruns: [],
  clockErrorMs: 0,
} as const;

export function drawServicePlan(seed: number): ServicePlan {
  const random = createRandomSource(seed);
  const count = 3 + Math.floor(random() * 6);
  const conflicts: [number, number][] = [];
  const clashes: [number, number][] = [];
  const broken: number[] = [];
  const pullRequests: PlannedPullRequest[] = [];
  const submittedAt = () => Math.round(random() * 5 * minuteMs);
  for (let number = 1; number <= count; number++) {
    const kind = random();
    const stays = { ...quietly, withdrawn: null, reworked: null } as const;
    const plain = { number, submittedAt: submittedAt(), ...stays };
    if (kind < 0.12 && number < count) {
      const pairs = random() < 0.5 ? conflicts : clashes;
      pairs.push([number, number + 1]);
      const ends = { oneOf: `${number}+${number + 1}` };
      pullRequests.push(
        { ...plain, ends },
        { ...plain, number: number + 1, submittedAt: submittedAt(), ends },
      );
      number += 1;
    } else if (kind < 0.24) {
      broken.push(number);
      pullRequests.push({ ...plain, ends: "failed" });
    } else if (kind < 0.36) {
      const at = plain.submittedAt + Math.round(random() * 4 * minuteMs);
      pullRequests.push({ ...plain, withdrawn: { at, by: "cancel", backAt: null }, ends: "cancelled" });
    } else if (kind < 0.44) {
      const at = plain.submittedAt + Math.round(random() * 5 * minuteMs);
      pullRequests.push({ ...plain, withdrawn: { at, by: "push", backAt: null }, ends: "cancelled" });
    } else if (kind < 0.56) {
      const first = plain.submittedAt + Math.round(random() * 2 * minuteMs);
      const reworked = { pushedAt: first, readyAt: first + Math.round(random() * 2 * minuteMs) };
      pullRequests.push({ ...plain, reworked, ends: "merged" });
    } else pullRequests.push({ ...plain, ends: "merged" });
  }
  const times = (most: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () =>
      Math.round(random() * 11 * minuteMs),
    ).sort((a, b) => a - b);
  return enlivenPlan({
    seed,
    pullRequests,
    ...uneventful,
    ...{ kills: times(4), pushes: times(2) },
    replicas: random() < 0.4 ? 1 : random() < 0.5 ? 2 : 3,
    // Up to four leases.
    suspensions: times(3).map((at) => ({ at, ms: Math.round(random() * minuteMs) })),
    settings: drawSettings(random),
    scenario: { settings: defaultSettings, broken, clashes, conflicts, targets: {}, steps: [] },
    faults: random() < 0.2 ? 0 : random() * 0.3,
    storeFaults: random() < 0.5 ? 0 : random() * 0.3,
    lostWebhooks: random(),
    calmFrom: 12 * minuteMs,
    upheavals: random() < 0.5 ? [] : drawUpheavals(random),
  });
}

function drawUpheavals(random: RandomSource): ServicePlan["upheavals"] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    kind: upheavals[Math.floor(random() * upheavals.length)] as Upheaval,
    at: Math.round(random() * 9 * minuteMs),
    ms: Math.round(random() * 3 * minuteMs),
  }));
}
