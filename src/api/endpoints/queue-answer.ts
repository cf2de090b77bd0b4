import * as z from "zod";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import type { Diagnosis } from "../../service/doctor/doctor.ts";
import { findingCodes, severities } from "../../service/doctor/finding.ts";
import type { ExaminedQueue } from "../../service/queues/queue-requests.ts";
import type { QueueView } from "../../service/runtime/views.ts";
import { renderTimestamp, timestamp } from "../schema/fields.ts";
import { entryItem, presentItem } from "./entry-answer.ts";
import { fixedSettings, fixedValues, queueSettings } from "./queue-settings.ts";
import { settingWarnings } from "./setting-warnings.ts";

/** Something that keeps a queue from working as it should. */
export const finding = z.object({
  code: z.enum(findingCodes),
  severity: z
    .enum(severities)
    .describe(
      "`error`: pull requests cannot be merged, or not as they should be. `warning`: it costs time or safety. `note`: good to know.",
    ),
  title: z.string(),
  cause: z.string().describe("Why it matters."),
  evidence: z.string().describe("What was seen."),
  fix: z.object({
    text: z.string().describe("What to do."),
    url: z.string().nullable().describe("The page on which to do it."),
  }),
});

/** Something that could not be examined. */
export const unexamined = z.object({ code: z.enum(findingCodes), why: z.string() });

const freeze = z.object({
  reason: z.string(),
  since: timestamp,
  until: timestamp,
  timeZone: z.string().describe("The IANA name of the zone in which the window is written."),
});

const stall = z.object({
  since: timestamp.describe("The last merge, or when the queue could merge again after it."),
  prNumber: z.int().describe("The pull request that is the first in the queue."),
  reason: z.string().describe("The code of why it does not merge, of those in `why` of explainPullRequest."),
  text: z.string(),
});

export const queueAnswer = z.object({
  state: z
    .enum(["running", "paused", "draining", "switching_modes"])
    .describe(
      "`switching_modes`: `mode` and `policy` are those that were asked for; they are in force once nothing is testing or waiting to merge. What has passed in a paused queue merges when it is resumed.",
    ),
  stateReason: z.string().describe("The code of why it is in its state."),
  stateText: z.string().describe("Why it is in its state, for people; with the reason that somebody gave."),
  branch: z.string(),
  freeze: freeze
    .nullable()
    .describe(
      "The window of the repository file in which only urgent pull requests merge now; null without one.",
    ),
  stall: stall
    .nullable()
    .describe(
      "Set while pull requests wait and nothing has merged for longer than two usual tests take; null otherwise.",
    ),
  ...queueSettings,
  enqueueingLabel: z.string().describe('The label that submits; "" = none, as the repository file says.'),
  stateLabelsEnabled: z.boolean().describe("Whether labels show the state of pull requests."),
  ...fixedSettings,
  requiredStatusesSource: z
    .enum(["merge_instance", "repository_config", "repo_provider_branch_protection"])
    .describe(
      "Where the required checks come from: this setting, the repository file, or the branch's protection.",
    ),
});

export const queueWithEntriesAnswer = queueAnswer.extend({
  enqueuedPullRequests: z
    .array(entryItem)
    .describe("Testing first, then pending in the order in which they will be considered."),
  awaitingReadiness: z.array(entryItem).describe("Submitted, but not ready to be tested."),
});

export const configuredQueueAnswer = queueAnswer.extend({
  warnings: z.array(z.string()).describe("Settings that are stored but have no effect, and why."),
  findings: z
    .array(finding)
    .describe(
      "Errors and warnings about the repository's rules, checks and workflows, the most severe first. updateQueue looks for them when mergeMethod, requiredStatuses or submitByAutoMerge changes; examineQueue finds more.",
    ),
  unexamined: z.array(unexamined).describe("What could not be examined, and why."),
});

export interface PresentedDiagnosis {
  findings: z.output<typeof finding>[];
  unexamined: z.output<typeof unexamined>[];
}

export function presentDiagnosis({ findings, unexamined }: Diagnosis): PresentedDiagnosis {
  return {
    findings: findings.map(({ isFatal: _, fix, ...rest }) => ({ ...rest, fix: { ...fix } })),
    unexamined: unexamined.map((one) => ({ ...one })),
  };
}

/** Presents a diagnosis without notes, as part of the answer to another request. */
export function presentFaults(diagnosis: Diagnosis): PresentedDiagnosis {
  return presentDiagnosis({
    ...diagnosis,
    findings: diagnosis.findings.filter(({ severity }) => severity !== "note"),
  });
}

export function presentQueue(view: QueueView): z.output<typeof queueAnswer> {
  const { status, statusReason, branch, freeze, stall, settings, next, inForce } = view;
  return {
    state: status,
    stateReason: statusReason.code,
    stateText: renderReason(statusReason),
    branch,
    freeze: freeze && {
      ...freeze,
      since: renderTimestamp(freeze.since),
      until: renderTimestamp(freeze.until),
    },
    stall: stall && {
      since: renderTimestamp(stall.since),
      prNumber: stall.pr,
      reason: stall.cause.code,
      text: stall.cause.text,
    },
    // A pending change is shown as requested, because clients compare the settings that they sent with those that they read.
    mode: next?.mode ?? settings.mode,
    policy: next?.policy ?? settings.policy,
    concurrency: settings.concurrency,
    bisectionConcurrency: settings.bisectionConcurrency,
    testingTimeoutMinutes: settings.testingTimeoutMinutes,
    testingTimeout: settings.testingTimeout,
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
    publicPage: inForce.publicPage,
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
