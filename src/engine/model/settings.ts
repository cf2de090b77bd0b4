/** A queue's configuration: the fields of `updateQueue`, typed. Limits of the wire are the API's concern. */
export interface QueueSettings {
  readonly mode: "single" | "parallel";
  /**
   * `fixed` does what the other settings say, in order. `adaptive` adds what they leave open: it doubts a failure before it blames, and
   * with many slots it orders its tests by beliefs. `beliefs` does that with any number of slots.
   */
  readonly policy: "fixed" | "adaptive" | "beliefs";
  /** How many main test runs run at once. */
  readonly concurrency: number;
  /** How many bisection runs run at once. */
  readonly bisectionConcurrency: number;
  readonly testingTimeoutMinutes: number;
  /** How long a required check may be missing once everything else on the test branch is over; 0 = until the testing timeout. */
  readonly missingCheckMinutes: number;
  /** How often failed checks are re-run when only tests failed that are known to be flaky; 0 = never. */
  readonly flakyRetries: number;
  /** Whether the workflow runs of a test that decides nothing any more are cancelled. */
  readonly cancelObsoleteRuns: boolean;
  /** How many successors a failed entry waits for before it is removed; 0 = none. */
  readonly pendingFailureDepth: number;
  readonly canOptimisticallyMerge: boolean;
  readonly batch: boolean;
  readonly batchingMaxWaitTimeMinutes: number;
  readonly batchingMinSize: number;
  /** `minimum`: a batch waits for `batchingMinSize`. `by_load`: it never waits, and is the larger the more entries wait for slots. */
  readonly batchSizing: "minimum" | "by_load";
  /** How long better priorities may go before an entry; then only urgent ones do. */
  readonly priorityMaxWaitTimeMinutes: number;
  /** A pull request that is not ready within so many hours is cancelled. */
  readonly notReadyTimeoutHours: number;
  /** How long a pull request that lost its approval keeps its place in the queue; 0 = it loses it at once. */
  readonly reviewGraceMinutes: number;
  readonly commentsEnabled: boolean;
  readonly commandsEnabled: boolean;
  /** Who has turned them off, as people read it; null = nobody, or it is not known. */
  readonly commandsDisabledBy: string | null;
  /** Labels submit, cancel, and set priorities. */
  readonly labelCommandsEnabled: boolean;
  /** The label that submits; null = the one that the repository file names, else the service's. */
  readonly enqueueingLabel: string | null;
  /** Labels show the state of a pull request; null = if the repository file names some. */
  readonly stateLabelsEnabled: boolean | null;
  /** Bots that may give commands besides those of the repository file: logins, or numeric ids as text. */
  readonly allowedBotSubmitters: readonly string[];
  /** Enabling auto-merge submits a pull request, disabling it cancels. */
  readonly submitByAutoMerge: boolean;
  /** Test branches get a draft pull request, for CI that listens to those only. */
  readonly createPrsForTestingBranches: boolean;
  readonly statusCheckEnabled: boolean;
  /** Set by hand, they override the branch's protection; null = not set. */
  readonly requiredStatuses: readonly string[] | null;
  /** Required checks that count as they are on the heads of the pull requests, not on the test branch. */
  readonly acceptFromHead: readonly string[];
  readonly directMergeMode: "off" | "always";
  readonly optimizationMode: "off" | "bisection_skip_redundant_tests";
  readonly mergeMethod: MergeMethod;
  /** `async_api`: GitHub merges by its asynchronous merge API; `auto`: by the surest of the other ways that the rules allow. */
  readonly mergeBy: "auto" | "async_api";
}

export type MergeMethod = "merge_commit" | "squash" | "rebase";

export const defaultSettings: QueueSettings = {
  mode: "single",
  policy: "adaptive",
  concurrency: 1,
  bisectionConcurrency: 1,
  testingTimeoutMinutes: 300,
  missingCheckMinutes: 10,
  flakyRetries: 1,
  cancelObsoleteRuns: true,
  pendingFailureDepth: 0,
  canOptimisticallyMerge: false,
  batch: false,
  batchingMaxWaitTimeMinutes: 5,
  batchingMinSize: 4,
  batchSizing: "minimum",
  priorityMaxWaitTimeMinutes: 480,
  notReadyTimeoutHours: 24,
  reviewGraceMinutes: 60,
  commentsEnabled: true,
  commandsEnabled: true,
  commandsDisabledBy: null,
  labelCommandsEnabled: true,
  enqueueingLabel: null,
  stateLabelsEnabled: null,
  allowedBotSubmitters: [],
  submitByAutoMerge: false,
  createPrsForTestingBranches: false,
  statusCheckEnabled: true,
  requiredStatuses: null,
  acceptFromHead: [],
  directMergeMode: "off",
  optimizationMode: "off",
  mergeMethod: "squash",
  mergeBy: "auto",
};

/** What a log means that is older than a setting: a queue that is older than the policies does as it did. */
export const unsaidSettings: QueueSettings = { ...defaultSettings, policy: "fixed" };

/** What the engine really uses of settings whose wire type allows 4294967295. */
export const engineLimits = {
  concurrency: 1_000,
  bisectionConcurrency: 1_000,
  batchingMinSize: 1_000,
  testingTimeoutMinutes: 10_080,
  missingCheckMinutes: 10_080,
  batchingMaxWaitTimeMinutes: 10_080,
  priorityMaxWaitTimeMinutes: 10_080,
  reviewGraceMinutes: 10_080,
  notReadyTimeoutHours: 720,
} as const satisfies Partial<Record<keyof QueueSettings, number>>;

/** The setting as the engine uses it: the configured value, at most its engine limit. */
export function effective(settings: QueueSettings, key: keyof typeof engineLimits): number {
  return Math.min(settings[key], engineLimits[key]);
}

/** How long an entry may wait to become ready before it is cancelled. */
export function readinessTimeoutMs(settings: QueueSettings): number {
  return effective(settings, "notReadyTimeoutHours") * 3_600_000;
}

/** Whether pull requests that impact different targets are tested and merged independently of each other. */
export function usesLanes({ mode }: Pick<QueueSettings, "mode">): boolean {
  return mode === "parallel";
}
