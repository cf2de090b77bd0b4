import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import {
  Boundaries,
  type BoundaryEvent,
  type BoundaryKind,
  isWithdrawal,
  type LaterEvent,
} from "../../simulator/service/boundaries.ts";
import { playService } from "../../simulator/service/play-service.ts";
import {
  type PlannedPullRequest,
  quietly,
  type ServicePlan,
  type Way,
} from "../../simulator/service/service-plan.ts";
import type { ScenarioName } from "./scenarios.ts";

interface SimulatedCrashOptions extends KillOptions {
  readonly scenarios: readonly ScenarioName[];
  /** The number of services that share the database. */
  readonly replicas: number;
  /** The events at the boundaries, used in turn. */
  readonly events: readonly BoundaryEvent[];
  /** The possible events up to 40 effects later; empty = none. */
  readonly laterEvents: readonly BoundaryEvent[];
  /** Determines the later events and their times. */
  readonly seed: number;
  readonly boundaries: BoundaryKind;
  /** How people give commands. */
  readonly by: Way;
  /** Settings that replace those of the scenarios. */
  readonly settings: Partial<QueueSettings>;
  /** Whether webhooks are lost. */
  readonly withoutWebhooks: boolean;
}

/**
 * Plays each scenario in virtual time, once undisturbed, then once for each boundary, at which it kills the service that reaches it,
 * or lets something else happen. A pull request with another end than the scenario's is a violation.
 *
 * @throws Error when a scenario does not end well without a kill
 */
export async function runSimulatedCrashes(options: SimulatedCrashOptions): Promise<CrashResult> {
  const violations: string[] = [];
  let kills = 0;
  for (const event of options.events)
    for (const name of options.scenarios) {
      const playOnce = (at: number | null) =>
        play(name, { event, at, later: later(at ?? 0, options) }, options);
      const done = await killAtEach(name, playOnce, { ...options, event });
      kills += done.kills;
      violations.push(...done.violations);
    }
  return { kills, violations };
}

/** No webhook arrives for 20 minutes, which is longer than a scenario takes. */
const unheard = { lostWebhooks: 1, calmFrom: 20 * 60_000 };

const mostEffects = 40;

/** The event after the one at a boundary, determined by the boundary's number and the seed. */
function later(at: number, { laterEvents, seed }: SimulatedCrashOptions): LaterEvent | null {
  const random = createRandomSource(seed * 100_003 + at);
  const event = laterEvents[Math.floor(random() * laterEvents.length)];
  return event ? { event, effects: 1 + Math.floor(random() * mostEffects) } : null;
}

interface Disturbance {
  readonly event: BoundaryEvent;
  readonly at: number | null;
  readonly later: LaterEvent | null;
}

async function play(
  name: ScenarioName,
  { event, at, later }: Disturbance,
  { replicas, by, boundaries: kind, withoutWebhooks, settings }: SimulatedCrashOptions,
): Promise<PlayedScenario> {
  const boundaries = new Boundaries(at, event, kind, later);
  const events = later ? [event, later.event] : [event];
  const plan = simulatedScenario(name, { replicas, events, by });
  const changed = { ...plan, settings: { ...plan.settings, ...settings } };
  const { violations } = await playService({ ...changed, ...(withoutWebhooks ? unheard : {}) }, boundaries);
  const after = later ? ` (${later.event} ${later.effects} effects later)` : "";
  const wrong = violations.length > 0 ? violations.join("; ") + after : null;
  return { points: boundaries.points, wasKilled: boundaries.wasReached, wrong };
}

const secondMs = 1_000;

interface SimulatedScenario {
  readonly settings: Partial<QueueSettings>;
  readonly pullRequests: readonly PlannedPullRequest[];
}

const pullRequest = (number: number, changes: Partial<PlannedPullRequest> = {}): PlannedPullRequest => ({
  number,
  submittedAt: number * secondMs,
  ...{ ...quietly, withdrawn: null, reworked: null },
  ends: "merged",
  ...changes,
});

/** The scenarios of `npm run lab -- crash` in virtual time. A test takes between 20 and 140 seconds. */
const scenarios: Readonly<Record<ScenarioName, SimulatedScenario>> = {
  merge: { settings: { mergeMethod: "merge_commit" }, pullRequests: [pullRequest(1)] },
  squash: {
    settings: { mergeMethod: "squash", concurrency: 2 },
    pullRequests: [pullRequest(1), pullRequest(2)],
  },
  failure: {
    settings: { mergeMethod: "merge_commit", concurrency: 3 },
    pullRequests: [pullRequest(1, { ends: "failed" }), pullRequest(2)],
  },
  // The first one uses the slot, so that the others are tested together.
  batch: {
    settings: { mergeMethod: "merge_commit", concurrency: 1, batch: true, batchSizing: "by_load" },
    pullRequests: [pullRequest(1), pullRequest(2), pullRequest(3, { ends: "failed" })],
  },
  cancel: {
    settings: { mergeMethod: "merge_commit", concurrency: 1 },
    pullRequests: [
      pullRequest(1, { withdrawn: { at: 15 * secondMs, by: "cancel", backAt: null }, ends: "cancelled" }),
      pullRequest(2),
    ],
  },
};

/**
 * Returns a life in which nothing goes wrong by itself.
 *
 * @param events the events at boundaries, which influence the first good pull request and its possible ends
 */
function simulatedScenario(
  name: ScenarioName,
  {
    replicas,
    events,
    by,
  }: { readonly replicas: number; readonly events: readonly BoundaryEvent[]; readonly by: Way },
): ServicePlan {
  const { settings, pullRequests: planned } = scenarios[name];
  const good = planned.find(({ ends }) => ends === "merged");
  const pullRequests = planned.map((pr) => (pr === good ? { ...pr, ...changesFor(events) } : pr));
  const broken = pullRequests.filter(({ ends }) => ends === "failed").map(({ number }) => number);
  return {
    ...{
      seed: 1,
      by,
      nextQueue: null,
      commands: [],
      settings: by === "auto_merge" ? { ...settings, submitByAutoMerge: true } : settings,
      pullRequests,
      replicas,
      kills: [],
      suspensions: [],
      pushes: [],
      rewinds: [],
      flake: null,
      mishap: null,
      objections: [],
      outage: null,
      upheavals: [],
    },
    scenario: { settings: defaultSettings, broken, clashes: [], conflicts: [], targets: {}, steps: [] },
    ...{
      faults: 0,
      storeFaults: 0,
      lostWebhooks: 0,
      calmFrom: 0,
      clockErrorMs: 0,
      incident: null,
      freeze: null,
      requirements: null,
      lateWebhooks: 0,
      laggingLists: 0,
      refusedQueries: 0,
      mergesByAdapter: true,
      publishesByAdapter: true,
      downtime: null,
      reruns: [],
    },
  };
}

function changesFor(events: readonly BoundaryEvent[]): Partial<PlannedPullRequest> {
  const isDraft = events.includes("ready");
  return {
    ...(events.some(isWithdrawal) ? { ends: "cancelled" } : {}),
    ...(isDraft ? { reworked: { pushedAt: 15 * secondMs, readyAt: 90 * secondMs } } : {}),
  };
}

export interface KillOptions {
  /** Kills only at the boundaries with these numbers; null = at every boundary. */
  readonly at: readonly number[] | null;
  /** Kills only at each boundary whose number is a multiple of this. */
  readonly every: number;
  /** What happens at the boundaries; default: a kill. */
  readonly event?: BoundaryEvent;
  readonly progress: (text: string) => void;
}

export interface CrashResult {
  /** The number of runs in which the service was killed, or something else happened. */
  readonly kills: number;
  readonly violations: readonly string[];
}

/** One run of a scenario. */
export interface PlayedScenario {
  /** The boundaries that the run passed, in order. */
  readonly points: readonly string[];
  readonly wasKilled: boolean;
  /** What is wrong with the end of the run; null = nothing. */
  readonly wrong: string | null;
}

/**
 * Plays a scenario once undisturbed, then once for each boundary of a durable effect, at which the service is killed.
 *
 * @param play plays the scenario; `killAt` is the number of the boundary, counted from 1, or null = none
 * @throws Error when the undisturbed run does not end well
 */
export async function killAtEach(
  name: ScenarioName,
  play: (killAt: number | null) => Promise<PlayedScenario>,
  { at, every, event = "kill", progress }: KillOptions,
): Promise<CrashResult> {
  const { points, wrong } = await play(null);
  if (wrong !== null) throw new Error(`${name} did not end well: ${wrong}`);
  progress(`${name}: ${points.length} boundaries`);
  const numbers = points.map((_, index) => index + 1);
  const violations: string[] = [];
  const what = event === "kill" ? "killed" : `with ${event}`;
  let kills = 0;
  for (const number of at ?? numbers.filter((one) => one % every === 0)) {
    const run = await play(number);
    const found: string[] = [];
    if (run.wasKilled) kills += 1;
    // The numbers were counted in the undisturbed run. This run may have fewer boundaries.
    else if (at) found.push(`${name} was not played, ${what}, because it has no boundary ${number}`);
    if (run.wrong !== null)
      found.push(`${name}, ${what} at boundary ${number} (${run.points[number - 1]}): ${run.wrong}`);
    for (const violation of found) progress(violation);
    violations.push(...found);
  }
  progress(`${name}: ${what} ${kills} times, ${violations.length} violations`);
  return { kills, violations };
}
