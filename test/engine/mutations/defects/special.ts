import type { Decision } from "../../../../src/engine/decision.ts";
import { endFreeze } from "../../../../src/engine/lifecycle/merging/freeze.ts";
import {
  concludeExamination,
  considerDirectMerge,
} from "../../../../src/engine/lifecycle/merging/ordered-merge.ts";
import { retryBrokenRun } from "../../../../src/engine/lifecycle/testing/run-end.ts";
import { settleTries } from "../../../../src/engine/lifecycle/testing/tries.ts";
import { currentChecks } from "../../../../src/engine/model/checks/run-checks.ts";
import { mayBeSentBackInFreeze, mayMerge } from "../../../../src/engine/model/order/dependencies.ts";
import { baseTip, merges, type QueueState } from "../../../../src/engine/model/queue.ts";
import type { StartedRun, TestRun } from "../../../../src/engine/model/test-run.ts";
import { type Defect, replace, skip, underSettings } from "../mutation.ts";

type RetryChecks = (decision: Decision, run: TestRun, ...others: unknown[]) => boolean;
type TestsThatExplain = (...failures: unknown[]) => readonly string[] | null;
type MakeRun = (decision: Decision, pr: number, base: string) => StartedRun;

/** Defects of direct merges, known flakes, freezes and tries. */
export const specialDefects: readonly Defect[] = [
  {
    name: "an examined head merges although the queue was paused in the meantime",
    mutations: [replace(mayMerge, () => () => true, concludeExamination)],
    breaks: ["I14"],
    from: 653,
  },
  {
    name: "an examined head merges onto a later base",
    mutations: trustExaminedBase(),
    breaks: ["I1", "I2"],
    from: 86,
  },
  {
    name: "a direct merge overtakes the entries ahead of it",
    mutations: [replace("hasCompany", (_: () => boolean) => () => false, considerDirectMerge)],
    breaks: ["I11"],
    from: 138,
  },
  {
    name: "known flakes: a run is retried once more than the settings allow",
    mutations: [
      replace("retryChecks", (original: RetryChecks) => (decision, ...others) => {
        const flakyRetries = decision.state.settings.flakyRetries + 1;
        return underSettings(decision, { flakyRetries }, () => original(decision, ...others));
      }),
    ],
    breaks: ["I21"],
  },
  {
    name: "known flakes: a failure that no known flake explains is excused",
    mutations: [
      replace(
        "testsThatExplain",
        (original: TestsThatExplain) =>
          (...failures) =>
            original(...failures) ?? [],
      ),
    ],
    breaks: ["I21"],
  },
  {
    name: "known flakes: earlier failures count when the checks are rerun",
    mutations: [replace(currentChecks, () => (_run, checks) => [...checks])],
    breaks: ["I17", "I21"],
    from: 4,
  },
  {
    name: "known flakes: a flake evicts a member in a bisection",
    mutations: [replace("fixed.retestsFlakes", (_: () => boolean) => () => false)],
    breaks: ["I21"],
  },
  {
    name: "known flakes: a member of a broken run inherits the highest count of the other members",
    mutations: [
      replace(
        "Decision.record",
        (original: Decision["record"]) =>
          function (this: Decision, data) {
            const isDelay = data.type === "entry_delayed" && data.reason.code === "INFRASTRUCTURE_ERROR";
            original.call(this, isDelay ? { ...data, brokenRuns: data.reason.attempt } : data);
          },
        retryBrokenRun,
      ),
    ],
    breaks: ["I21"],
    settings: { policy: "beliefs", mode: "single" },
    from: 6575,
  },
  {
    name: "pull requests that are not urgent merge during a freeze",
    mutations: [replace(mayMerge, () => (state) => merges(state))],
    breaks: ["I22"],
  },
  {
    name: "a freeze does not end by itself",
    mutations: [skip(endFreeze)],
    breaks: ["I22"],
  },
  {
    name: "an urgent pull request waits behind a frozen entry",
    mutations: [replace(mayBeSentBackInFreeze, () => () => false)],
    breaks: ["I22"],
  },
  {
    name: "a try keeps a slot that an entry needs",
    mutations: [skip("putBack", settleTries)],
    breaks: ["I23"],
  },
  {
    name: "a try is built on the entries under test",
    mutations: [
      replace("startedRun", (original: MakeRun) => (decision, pr, base) => ({
        ...original(decision, pr, base),
        ahead: [...decision.state.line],
      })),
    ],
    breaks: ["I23"],
  },
];

/** The base that was examined counts as the tip of the base. */
function trustExaminedBase() {
  let examined: string | null = null;
  return [
    replace(concludeExamination, (original) => (decision, observation) => {
      examined = observation.base;
      original(decision, observation);
    }),
    replace(baseTip, () => (_state: QueueState) => examined, concludeExamination),
  ];
}
