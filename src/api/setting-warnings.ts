import { defaultSettings, engineLimits } from "../engine/settings.ts";
import type { QueueChangesBody } from "./schema/queue-settings.ts";

type Changes = Readonly<Partial<QueueChangesBody>>;

/** Settings that are stored but not obeyed yet: what to set, and what happens instead. */
const notYet: readonly { readonly isSet: (changes: Changes) => boolean; readonly warning: string }[] = [
  {
    isSet: ({ mode }) => mode === "parallel",
    warning: "mode parallel has no effect yet: pull requests are queued in one line, as in single.",
  },
  {
    isSet: ({ batch }) => batch === true,
    warning: "batch has no effect yet: every pull request is tested by itself.",
  },
  {
    isSet: ({ batchingMinSize }) => isNew(batchingMinSize, defaultSettings.batchingMinSize),
    warning: "batchingMinSize has no effect yet: every pull request is tested by itself.",
  },
  {
    isSet: ({ batchingMaxWaitTimeMinutes: wait }) => isNew(wait, defaultSettings.batchingMaxWaitTimeMinutes),
    warning: "batchingMaxWaitTimeMinutes has no effect yet: every pull request is tested by itself.",
  },
  {
    isSet: ({ bisectionConcurrency }) => isNew(bisectionConcurrency, defaultSettings.bisectionConcurrency),
    warning: "bisectionConcurrency has no effect yet: without batches there is nothing to bisect.",
  },
  {
    isSet: ({ optimizationMode }) => isNew(optimizationMode, defaultSettings.optimizationMode),
    warning: "optimizationMode has no effect yet: without batches there is nothing to bisect.",
  },
  {
    isSet: ({ pendingFailureDepth }) => isNew(pendingFailureDepth, defaultSettings.pendingFailureDepth),
    warning: "pendingFailureDepth has no effect yet: a failed pull request waits only for those ahead of it.",
  },
  {
    isSet: ({ canOptimisticallyMerge }) => canOptimisticallyMerge === true,
    warning: "canOptimisticallyMerge has no effect yet: every pull request merges on its own tests.",
  },
  {
    isSet: ({ directMergeMode }) => directMergeMode === "always",
    warning: "directMergeMode always has no effect yet: every pull request is tested in the queue.",
  },
  {
    isSet: ({ createPrsForTestingBranches }) => createPrsForTestingBranches === true,
    warning:
      "createPrsForTestingBranches has no effect yet: tests run on pushed branches, so CI must listen to pushes to the test branches, trainyard-merge/** by default.",
  },
  {
    isSet: ({ mergeMethod }) => mergeMethod === "rebase",
    warning:
      "mergeMethod rebase is not supported yet: whatever is tested with it fails as CONFIGURATION_INVALID; set merge_commit or squash.",
  },
];

/** What of the requested changes will not do what it says, as sentences. */
export function settingWarnings(changes: Changes): string[] {
  const unsupported = notYet.filter(({ isSet }) => isSet(changes)).map(({ warning }) => warning);
  return [...unsupported, ...clampingWarnings(changes), ...requiredStatusesWarnings(changes)];
}

function clampingWarnings(changes: Changes): string[] {
  const limits = Object.entries(engineLimits) as [keyof typeof engineLimits, number][];
  return limits
    .filter(([setting, limit]) => (changes[setting] ?? 0) > limit)
    .map(
      ([setting, limit]) =>
        `${setting} is stored as ${changes[setting]}, but works as ${limit}, its maximum.`,
    );
}

function requiredStatusesWarnings({ requiredStatuses, deleteRequiredStatuses }: Changes): string[] {
  if (requiredStatuses?.length !== 0 || deleteRequiredStatuses) return [];
  return [
    "An empty requiredStatuses changes nothing. To take the required checks from the branch's protection, set deleteRequiredStatuses to true.",
  ];
}

function isNew<Value>(value: Value | undefined, known: Value): boolean {
  return value !== undefined && value !== known;
}
