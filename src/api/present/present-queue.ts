import type * as z from "zod";
import type { ExaminedQueue } from "../../service/queues/queue-service.ts";
import type { QueueView } from "../../service/runtime/views.ts";
import { fixedValues } from "../schema/fixed-settings.ts";
import type { configuredQueueAnswer, queueAnswer, queueWithEntriesAnswer } from "../schema/queue-answer.ts";
import { settingWarnings } from "../setting-warnings.ts";
import { presentFaults } from "./present-diagnosis.ts";
import { presentItem } from "./present-entry.ts";
import { timestamp } from "./timestamp.ts";

export function presentQueue(view: QueueView): z.output<typeof queueAnswer> {
  const { status, statusReason, branch, freeze, stall, settings, next, inForce } = view;
  return {
    state: status,
    stateReason: statusReason.code,
    branch,
    freeze: freeze && { ...freeze, since: timestamp(freeze.since), until: timestamp(freeze.until) },
    stall: stall && {
      since: timestamp(stall.since),
      prNumber: stall.pr,
      reason: stall.cause.code,
      text: stall.cause.text,
    },
    // A pending change is shown as requested: clients compare the settings that they sent with those that they read.
    mode: next?.mode ?? settings.mode,
    policy: next?.policy ?? settings.policy,
    concurrency: settings.concurrency,
    bisectionConcurrency: settings.bisectionConcurrency,
    testingTimeoutMinutes: settings.testingTimeoutMinutes,
    missingCheckMinutes: settings.missingCheckMinutes,
    flakyRetries: settings.flakyRetries,
    cancelObsoleteRuns: settings.cancelObsoleteRuns,
    pendingFailureDepth: settings.pendingFailureDepth,
    canOptimisticallyMerge: settings.canOptimisticallyMerge,
    batch: settings.batch,
    batchingMaxWaitTimeMinutes: settings.batchingMaxWaitTimeMinutes,
    batchingMinSize: settings.batchingMinSize,
    batchSizing: settings.batchSizing,
    priorityMaxWaitTimeMinutes: settings.priorityMaxWaitTimeMinutes,
    reviewGraceMinutes: settings.reviewGraceMinutes,
    notReadyTimeoutHours: settings.notReadyTimeoutHours,
    commentsEnabled: settings.commentsEnabled,
    commandsEnabled: settings.commandsEnabled,
    labelCommandsEnabled: settings.labelCommandsEnabled,
    enqueueingLabel: inForce.enqueueingLabel ?? "",
    stateLabelsEnabled: inForce.stateLabelsEnabled,
    allowedBotSubmitters: [...settings.allowedBotSubmitters],
    submitByAutoMerge: settings.submitByAutoMerge,
    createPrsForTestingBranches: settings.createPrsForTestingBranches,
    statusCheckEnabled: settings.statusCheckEnabled,
    requiredStatuses: settings.requiredStatuses ?? [],
    acceptFromHead: [...settings.acceptFromHead],
    publicPage: settings.publicPage ?? false,
    directMergeMode: settings.directMergeMode,
    optimizationMode: settings.optimizationMode,
    mergeMethod: settings.mergeMethod,
    mergeBy: settings.mergeBy,
    ...fixedValues,
    batchingRules: [],
    requiredStatusesSource: inForce.requiredStatusesSource,
  };
}

export function presentQueueWithEntries(view: QueueView): z.output<typeof queueWithEntriesAnswer> {
  return {
    ...presentQueue(view),
    enqueuedPullRequests: view.entries.map(presentItem),
    awaitingReadiness: view.awaitingReadiness.map(presentItem),
  };
}

export function presentConfiguredQueue(
  { view, diagnosis }: ExaminedQueue,
  changes: Parameters<typeof settingWarnings>[0],
): z.output<typeof configuredQueueAnswer> {
  const warnings = settingWarnings(changes, { ...view.settings, ...view.next });
  return { ...presentQueue(view), warnings, ...presentFaults(diagnosis) };
}
