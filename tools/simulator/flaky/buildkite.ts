import { day } from "../../../src/flaky/detection/settings.ts";
import {
  type CreateRule,
  failedIn,
  forgiveFlaky,
  hasRun,
  isOfMain,
  isOfQueue,
  type Monitor,
  type SimulatedUpload,
  watchRetries,
} from "./rule.ts";

/**
 * The rules of Buildkite Test Engine, by its documentation: https://buildkite.com/docs/pipelines/configure/tests/workflows and
 * the pages of its monitors below `/monitors`, read on 2026-11-23 in the version of 2026-08-21 (buildkite/docs, 35cf029). Its
 * workflows mute a test on an alarm and enable it again on recovery. Implemented are the workflow that every suite has (passed on
 * retry), and the one that is recommended in case of doubt (transition count). Both use the default filter, which is the main
 * branch.
 *
 * The documentation leaves some points open. The assumptions are:
 * - The thresholds of a transition count are those of the example in
 *   https://buildkite.com/docs/apis/rest-api/test-engine/workflows. An alarm requires a score above the threshold ("exceeded").
 *   Recovery requires a score at or below the threshold.
 * - Attempts of a job are executions, and each is a result in the sequence of results.
 * - A test that two workflows have muted stays muted until both have recovered.
 * - The probabilistic monitor (only in one plan) is left out, because the settings of its model are not documented.
 */
export const createBuildkiteRule: CreateRule = (names, tests) =>
  forgiveFlaky([passedOnRetry(isOfMain, names, tests), transitionCount(isOfMain, names, tests)]);

/** Adds the same workflows for the queue's branches. The documentation leaves that to organisations with a merge queue. */
export const createBuildkiteRuleWithQueue: CreateRule = (names, tests) =>
  forgiveFlaky(
    [isOfMain, isOfQueue].flatMap((isWatched) => [
      passedOnRetry(isWatched, names, tests),
      transitionCount(isWatched, names, tests),
    ]),
  );

type Filter = (upload: SimulatedUpload) => boolean;

/** Recovers after seven days or a hundred executions without a pass on retry. */
function passedOnRetry(isWatched: Filter, names: number, tests: number): Monitor {
  const find = watchRetries("head");
  const executions = new Uint32Array(names);
  const last = new Map<number, { readonly at: number; readonly execution: number }>();
  return {
    see: (upload) => {
      if (!isWatched(upload)) return;
      for (let test = 0; test < names; test += 1)
        if (hasRun(upload, test, tests)) executions[test] = (executions[test] ?? 0) + 1;
      for (const test of find(upload)) last.set(test, { at: upload.at, execution: executions[test] ?? 0 });
      for (const [test, { at, execution }] of last) {
        if (!hasRun(upload, test, tests)) continue;
        if (upload.at - at >= 7 * day || (executions[test] ?? 0) - execution >= 100) last.delete(test);
      }
    },
    active: () => last,
  };
}

const window = 100;
const alarm = 0.1;
const recovery = 0.05;

/** The score is a share of the whole window, even while there are fewer results. */
function transitionCount(isWatched: Filter, names: number, tests: number): Monitor {
  const executions = new Uint32Array(names);
  const failing = new Uint8Array(names);
  const transitions = new Map<number, readonly number[]>();
  const active = new Set<number>();
  const add = (test: number, outcome: 0 | 1) => {
    const execution = (executions[test] ?? 0) + 1;
    executions[test] = execution;
    if (execution > 1 && failing[test] !== outcome)
      transitions.set(test, [...(transitions.get(test) ?? []), execution]);
    failing[test] = outcome;
  };
  return {
    see: (upload) => {
      if (!isWatched(upload)) return;
      const failed = failedIn(upload);
      for (let test = 0; test < names; test += 1)
        if (hasRun(upload, test, tests)) add(test, failed.has(test) ? 1 : 0);
      for (const { test, hasPassingTwin, passedOnRetry } of upload.failed)
        if (hasPassingTwin || passedOnRetry) add(test, 0);
      for (const [test, at] of transitions) {
        if (!hasRun(upload, test, tests)) continue;
        // A transition counts while both of its results are in the window.
        const oldest = (executions[test] ?? 0) - window + 1;
        const kept = at.filter((execution) => execution > oldest);
        transitions.set(test, kept);
        if (kept.length > alarm * window) active.add(test);
        else if (kept.length <= recovery * window) active.delete(test);
      }
    },
    active: () => active,
  };
}
