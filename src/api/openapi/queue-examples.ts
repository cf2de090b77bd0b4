import { entryFields, forecast, queue } from "./example-values.ts";
import type { Examples } from "./examples.ts";

const configuration = {
  state: "running",
  stateReason: "CONFIGURED",
  stateText: "as configured",
  branch: "main",
  freeze: null,
  stall: null,
  mode: "parallel",
  policy: "fixed",
  concurrency: 4,
  bisectionConcurrency: 2,
  testingTimeoutMinutes: 300,
  testingTimeout: "fixed",
  missingCheckMinutes: 10,
  flakyRetries: 1,
  cancelObsoleteRuns: true,
  pendingFailureDepth: 0,
  canOptimisticallyMerge: false,
  batch: false,
  batchingMaxWaitTimeMinutes: 5,
  batchingMinSize: 4,
  batchSizing: "minimum",
  priorityMaxWaitTimeMinutes: 240,
  reviewGraceMinutes: 60,
  notReadyTimeoutHours: 24,
  commentsEnabled: true,
  commandsEnabled: true,
  labelCommandsEnabled: true,
  enqueueingLabel: "trainyard:merge",
  stateLabelsEnabled: false,
  submitByAutoMerge: false,
  createPrsForTestingBranches: false,
  statusCheckEnabled: true,
  requiredStatuses: ["build", "test"],
  acceptFromHead: ["DCO"],
  publicPage: false,
  directMergeMode: "off",
  optimizationMode: "off",
  mergeMethod: "squash",
  mergeBy: "auto",
  extensionEnabled: false,
  testBranchConstructionMode: "push_new_branch_from_temp",
  requiredStatusesSource: "merge_instance",
} as const;

const lists = {
  requiredStatuses: [...configuration.requiredStatuses],
  acceptFromHead: [...configuration.acceptFromHead],
  allowedBotSubmitters: [],
  batchingRules: [],
};

export const queueExamples: Pick<
  Examples,
  "createQueue" | "deleteQueue" | "getQueue" | "listQueues" | "updateQueue" | "examineQueue"
> = {
  createQueue: {
    body: { ...queue, mode: "parallel", concurrency: 4 },
    answer: { ...configuration, ...lists, warnings: [], findings: [], unexamined: [] },
  },
  deleteQueue: { body: queue, answer: { deleted: true } },
  getQueue: {
    body: queue,
    answer: {
      ...configuration,
      ...lists,
      enqueuedPullRequests: [{ ...entryFields, state: "testing", forecast }],
      awaitingReadiness: [],
    },
  },
  listQueues: {
    body: {},
    answer: {
      queues: [
        {
          ...{ repo: queue.repo, branch: "main", state: "running" },
          ...{ stateReason: "CONFIGURED", stateText: "as configured", waiting: 7, notReady: 1, testing: 5 },
        },
      ],
      isComplete: true,
    },
  },
  updateQueue: {
    body: { ...queue, state: "paused" },
    answer: {
      ...configuration,
      state: "paused",
      stateReason: "CONFIGURED",
      stateText: "as configured",
      ...lists,
      warnings: [],
      findings: [],
      unexamined: [],
    },
  },
  examineQueue: {
    body: queue,
    answer: {
      findings: [
        {
          code: "UPDATES_RESTRICTED",
          severity: "error",
          title: "A rule does not allow the App to change the branch",
          cause: "GitHub refuses every merge of the App.",
          evidence: 'update in "release" (the App may not bypass it)',
          fix: {
            text: "Add the App to the bypass list of the ruleset that restricts updates, in mode Exempt, or to those who may push to the branch.",
            url: "https://github.com/acme/widgets/rules/7",
          },
        },
      ],
      unexamined: [{ code: "WEBHOOK_ADDRESS_DIFFERS", why: "TRAINYARD_PUBLIC_URL is not set" }],
    },
  },
};
