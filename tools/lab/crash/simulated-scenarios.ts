import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import { type BoundaryEvent, isWithdrawal } from "../../simulator/service/boundary-event.ts";
import {
  type PlannedPullRequest,
  quietly,
  type ServicePlan,
  type Way,
} from "../../simulator/service/service-plan.ts";
import type { ScenarioName } from "./scenarios.ts";

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

/** The scenarios of `npm run crash` in virtual time, where a test takes between 20 and 140 seconds. */
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
  // The first one takes the slot, so that the others are tested together.
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
 * @param events what happens at boundaries; it changes what the first good pull request is, or how it may end
 */
export function simulatedScenario(
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
