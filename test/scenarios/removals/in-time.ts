import { eventually } from "../eventually.ts";
import { batch, batched, checksFailed, deployment, failed, hold, merged } from "./in-tests.ts";
import type { Place } from "./place.ts";
import type { Removal } from "./removal.ts";

/** Cancels the next workflow run on a test branch, except these. Returns it. */
async function cancelWorkflow(place: Place, except: readonly number[]): Promise<number> {
  const run = await eventually(async () => {
    const runs = place.stage.sandbox.workflowRuns(place.fullName);
    return runs.find(({ id }) => !except.includes(id)) ?? null;
  }, `a workflow run of ${place.fullName}`);
  await place.octokit().rest.actions.cancelWorkflowRun({ ...place.at, run_id: run.id });
  return run.id;
}

/** What ends only after a time that a test has to let pass. */
export const inTime: readonly Removal[] = [
  {
    name: "main fails by itself for hours, with the policy adaptive",
    place: { queue: { policy: "adaptive" } },
    play: async (place) => {
      await place.pushToMain({ "facts/main.json": '{"broken":true}\n' });
      return failed(place, await place.submitted("one"));
    },
    ...{ ...checksFailed, next: "ask_person", jobs: { build: "failure" } },
  },
  {
    name: "another one breaks the batch that it is in",
    place: { queue: batched },
    play: async (place) => {
      await batch(place, 2, 1);
      await place.until(2, "merged");
      return 2;
    },
    ...merged,
  },
  {
    name: "CI loses a required check three times",
    place: { queue: { requiredStatuses: ["deploy"] }, ci: deployment("stale") },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ reason: "CHECKS_FAILED", cause: "flaky_or_infrastructure", next: "ask_person" },
    jobs: { deploy: "unknown" },
  },
  {
    name: "people cancel its workflow three times",
    place: { ci: { durationMs: [120_000, 120_000] } },
    play: async (place) => {
      const pr = await place.submitted("one");
      const cancelled: number[] = [];
      while (cancelled.length < 3) cancelled.push(await cancelWorkflow(place, cancelled));
      return failed(place, pr);
    },
    ...{ reason: "TESTS_CANCELLED", cause: "flaky_or_infrastructure", next: "ask_person" },
    jobs: { build: "cancelled", test: "cancelled" },
  },
  {
    name: "a required check never reports",
    place: { queue: { requiredStatuses: ["build", "DCO"], missingCheckMinutes: 2 } },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ reason: "REQUIRED_CHECK_MISSING", cause: "flaky_or_infrastructure", next: "ask_person" },
    ...{ jobs: { DCO: "missing" }, again: "ends the same" },
  },
  {
    name: "a required check never reports, and is waited for until the time is over",
    place: {
      queue: { requiredStatuses: ["build", "DCO"], missingCheckMinutes: 0, testingTimeoutMinutes: 60 },
    },
    play: async (place) => failed(place, await place.submitted("one")),
    ...{ reason: "TESTING_TIMEOUT", cause: "flaky_or_infrastructure", next: "ask_person" },
    ...{ jobs: { DCO: "missing" }, again: "ends the same" },
  },
  {
    name: "a required check does not end in time",
    place: { queue: { testingTimeoutMinutes: 60 } },
    play: async (place) => {
      hold(place);
      return failed(place, await place.submitted("one"));
    },
    ...{ reason: "TESTING_TIMEOUT", cause: "flaky_or_infrastructure", next: "requeue" },
    ...{ jobs: { build: "pending", test: "pending" }, again: "merges" },
    meanwhile: async (place) => place.gate.open(),
  },
  {
    name: "a required check does not end in time after main has moved",
    place: { queue: { testingTimeoutMinutes: 1_440 } },
    play: async (place) => {
      hold(place);
      const pr = await place.submitted("one");
      await place.until(pr, "testing");
      await place.pushToMain({ "notes.txt": "Moved.\n" });
      await place.untilTold(pr, ({ verdict }) => verdict.attemptsOnHead > 0 && verdict.state === "testing");
      await place.configure({ testingTimeoutMinutes: 60 });
      return failed(place, pr);
    },
    ...{ reason: "TESTING_TIMEOUT", cause: "flaky_or_infrastructure", next: "requeue" },
    ...{ jobs: { build: "pending", test: "pending" }, again: "merges" },
    meanwhile: async (place) => place.gate.open(),
  },
  {
    name: "it stays a draft for too long",
    place: { queue: { notReadyTimeoutHours: 1 } },
    play: async (place) => {
      const pr = await place.submitted("one", undefined, { draft: true });
      await place.until(pr, "cancelled");
      return pr;
    },
    ...{ reason: "READINESS_TIMEOUT", cause: "not_ready", next: "make_ready" },
  },
];
