import type { Decision } from "../../../../src/engine/decision.ts";
import { evolve } from "../../../../src/engine/evolve.ts";
import {
  callMerge,
  concludeMerge,
  moveBaseFromOutside,
  observeBase,
} from "../../../../src/engine/lifecycle/merging/merging.ts";
import { isMergeCalled, recallMerge } from "../../../../src/engine/lifecycle/merging/ordered-merge.ts";
import { finishSwitching } from "../../../../src/engine/lifecycle/modes.ts";
import {
  absorbMerge,
  ageWaiting,
  releaseHeld,
  resumeDelayed,
  sendBackEverything,
  testAgain,
} from "../../../../src/engine/lifecycle/requeue.ts";

import {
  cancel,
  headRefusal,
  observePullRequest,
  observeTargets,
  submit,
} from "../../../../src/engine/lifecycle/submission/admission.ts";

import { withdrawalOf } from "../../../../src/engine/lifecycle/submission/readiness.ts";
import { concludeBuild } from "../../../../src/engine/lifecycle/testing/build.ts";
import { observeRequirements } from "../../../../src/engine/lifecycle/testing/requirements.ts";
import { expireRuns } from "../../../../src/engine/lifecycle/testing/timeout.ts";
import { theQueue } from "../../../../src/engine/model/actor.ts";
import { evaluateChecks } from "../../../../src/engine/model/checks/required-checks.ts";
import { isTerminal } from "../../../../src/engine/model/entry.ts";
import type { InputOf } from "../../../../src/engine/model/input.ts";
import { hasMerged } from "../../../../src/engine/model/order/dependencies.ts";
import { runOf } from "../../../../src/engine/model/queue.ts";
import { type Defect, replace, skip } from "../mutation.ts";

type Submission = InputOf<"submit">;

/** Defects of what holds under every policy: admission, withdrawal, the base, checks, merging and modes. */
export const lifecycleDefects: readonly Defect[] = [
  {
    name: "a base that the merge found moved is ignored",
    mutations: [skip(moveBaseFromOutside, concludeMerge)],
    breaks: ["I18"],
  },
  {
    name: "a merge by others counts as tested, whatever its tree",
    mutations: [
      replace(absorbMerge, (original) => (decision, facts, reason) => {
        const run = runOf(decision.state, decision.entry(facts.number));
        const tree = run?.commits.find(({ pr }) => pr === facts.number)?.treeSha;
        return original(decision, tree ? { ...facts, mergedTree: tree } : facts, reason);
      }),
    ],
    breaks: ["I1"],
    settings: { mode: "single" },
    from: 852,
  },
  {
    name: "a cancel is accepted while GitHub is asked for the merge",
    mutations: [replace(isMergeCalled, () => () => false, cancel)],
    breaks: ["I5"],
    from: 802,
  },
  {
    name: "a build outcome that is delivered twice counts twice",
    mutations: [
      replace(concludeBuild, (original) => (decision, observation) => {
        const { runs } = decision.state;
        const run = runs.get(observation.runId);
        if (run)
          decision.state = { ...decision.state, runs: runs.with(run.id, { ...run, state: "building" }) };
        original(decision, observation);
      }),
    ],
    breaks: ["I17"],
  },
  {
    name: "a push does not evict",
    mutations: [
      replace(
        withdrawalOf,
        (original) => (tested, facts) => original({ ...tested, headSha: facts.headSha }, facts),
      ),
    ],
    breaks: ["I6"],
  },
  {
    name: "a merge that was called off may start",
    mutations: [
      replace(callMerge, (original) => (decision, observation) => {
        const { merge } = decision.state;
        if (merge) original(decision, { ...observation, attemptId: merge.id });
      }),
    ],
    breaks: ["I17"],
    from: 118,
  },
  {
    name: "a merge can be called off although GitHub was asked for it",
    mutations: [
      replace(isMergeCalled, (original) => (state, pr) => original(state, pr) && state.merge?.called === 0),
    ],
    breaks: ["I5"],
  },
  {
    name: "a cancelled pull request stays in the merge that was ordered",
    mutations: [skip(recallMerge, "takeOut")],
    breaks: ["I5", "I8"],
    from: 33,
  },
  {
    name: "a change found just before a merge is ignored",
    mutations: [skip(observePullRequest, concludeMerge)],
    breaks: ["I18"],
  },
  {
    name: "an outdated observation of the base is accepted",
    mutations: [
      replace(
        observeBase,
        (original) => (decision, observation) =>
          original(decision, { ...observation, asOfSeq: decision.state.seq }),
      ),
    ],
    breaks: ["I17"],
  },
  {
    name: "a timeout does not name the checks that never reported",
    mutations: [
      replace(
        evaluateChecks,
        (original) => (required, facts) => ({ ...original(required, facts), missing: [] }),
        expireRuns,
      ),
    ],
    breaks: ["I13"],
  },
  {
    name: "a required check that never reported counts as passed",
    mutations: [
      replace(evaluateChecks, (original) => (required, facts) => {
        const checks = original(required, facts);
        const isPassed = checks.verdict === "pending" && checks.pending.length === 0;
        return isPassed ? { ...checks, verdict: "passed" } : checks;
      }),
    ],
    breaks: ["I1", "I17"],
  },
  {
    name: "runs stay valid when the base moves from outside",
    mutations: [skip(sendBackEverything, moveBaseFromOutside)],
    breaks: ["I15"],
  },
  {
    name: "a failed build is never retried",
    mutations: [skip(resumeDelayed)],
    breaks: ["I18"],
  },
  {
    name: "an entry held behind a conflict is never released",
    mutations: [skip(releaseHeld)],
    breaks: ["I18"],
  },
  {
    name: "new targets do not restart the tests that used the old ones",
    mutations: [skip(testAgain, observeTargets)],
    breaks: ["I1", "I11"],
    settings: { mode: "parallel", concurrency: 8, pendingFailureDepth: 0 },
    from: 261,
  },
  {
    name: "a new mode takes effect while tests of the old mode run",
    mutations: [
      replace(finishSwitching, (original) => (decision) => {
        original(decision);
        const { status, next, merge, statusReason: reason } = decision.state;
        if (status !== "switching_modes" || next === null || merge) return;
        decision.record({ type: "queue_configured", changes: { mode: next.mode }, actor: theQueue });
        decision.record({ type: "queue_status_changed", to: next.status, reason });
      }),
    ],
    breaks: ["I14"],
    from: 35,
  },
  {
    name: "a pull request is in the queue twice",
    mutations: admitTwice(),
    breaks: ["I9"],
  },
  {
    name: "the actor of a submission is not recorded",
    mutations: [
      replace(
        "admit",
        (original: (decision: Decision, command: Submission) => void) => (decision, command) =>
          original(decision, { ...command, actor: { ...command.actor, name: "" } }),
      ),
    ],
    breaks: ["I7"],
  },
  {
    name: "an event is not recorded",
    mutations: [
      replace(
        "Decision.record",
        (original: Decision["record"]) =>
          function (this: Decision, data) {
            original.call(this, data);
            if (data.type === "entry_due") this.events.pop();
          },
      ),
    ],
    breaks: ["I16", "crash"],
  },
  {
    name: "an entry that has ended stays in the queue",
    mutations: [replace(isTerminal, () => (state) => state === "merged", evolve)],
    breaks: ["I6", "I8", "I18"],
  },
  {
    name: "a merge outcome that is delivered twice counts twice",
    mutations: [
      replace(concludeMerge, (original) => (decision, observation) => {
        const { merge } = decision.state;
        if (merge) original(decision, { ...observation, attemptId: merge.id });
      }),
    ],
    breaks: ["I17", "crash"],
    from: 20,
  },
  {
    name: "a merged pull request is admitted again",
    mutations: [
      replace(hasMerged, () => () => false),
      replace(headRefusal, (original) => (decision, command) => {
        const { pullRequest } = command;
        const state = pullRequest.state === "merged" ? "open" : pullRequest.state;
        return original(decision, { ...command, pullRequest: { ...pullRequest, state } });
      }),
    ],
    breaks: ["I4", "I13", "I18"],
    from: 286,
  },
  {
    name: "a check that becomes required is not demanded of tests in progress",
    mutations: [skip(observeRequirements)],
    breaks: ["I28"],
    from: 38,
  },
  {
    name: "entries never age",
    mutations: [skip(ageWaiting)],
    breaks: ["I19"],
  },
];

/** A submission of a queued pull request with `noBatch` admits it as if it were not queued. */
function admitTwice() {
  let admit: ((decision: Decision, command: Submission) => void) | null = null;
  return [
    replace("admit", (original: (decision: Decision, command: Submission) => void) => {
      admit = original;
      return original;
    }),
    replace(submit, (original) => (decision, command) => {
      const queued = decision.state.entries.get(command.pullRequest.number);
      original(decision, command);
      if (queued?.noBatch && decision.state.entries.has(queued.pr)) admit?.(decision, command);
    }),
  ];
}
