import * as z from "zod";
import { entryItem } from "./entry-answer.ts";
import { finding, unexamined } from "./finding.ts";
import { fixedSettings } from "./fixed-settings.ts";
import { queueSettings } from "./queue-settings.ts";
import { timestamp } from "./timestamp.ts";

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

/** A queue and its configuration. */
export const queueAnswer = z.object({
  state: z
    .enum(["running", "paused", "draining", "switching_modes"])
    .describe(
      "`switching_modes`: `mode` and `policy` are those that were asked for; they are in force once nothing is testing or waiting to merge. What has passed in a paused queue merges when it is resumed.",
    ),
  stateReason: z.string().describe("The code of why it is in its state."),
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
