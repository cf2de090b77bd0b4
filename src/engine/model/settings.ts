/** A queue's configuration: the fields of `updateQueue`, typed. The API checks the limits of its wire format. */
export interface QueueSettings {
  readonly mode: "single" | "parallel";
  /**
   * `fixed` tests in order, exactly as the other settings say. `adaptive` also doubts a failure before it evicts an entry, and with many
   * slots it uses the strategy `beliefs`. `beliefs` uses that strategy with any number of slots.
   */
  readonly policy: "fixed" | "adaptive" | "beliefs";
  /** The maximum number of main test runs at once. */
  readonly concurrency: number;
  /** The maximum number of bisection runs at once. */
  readonly bisectionConcurrency: number;
  readonly testingTimeoutMinutes: number;
  /** `auto`: limited by the durations of the queue's last tests (`testLimitMs`), and at most `testingTimeoutMinutes`. */
  readonly testingTimeout: "fixed" | "auto";
  /** How long a required check may be missing once everything else on the test branch has ended; 0 = until the testing timeout. */
  readonly missingCheckMinutes: number;
  /** The maximum number of re-runs of failed checks if only known flaky tests failed; 0 = none. */
  readonly flakyRetries: number;
  /** Whether the workflow runs of a test that no longer decides anything are cancelled. */
  readonly cancelObsoleteRuns: boolean;
  /** The number of successors that a failed entry waits for before it is evicted; 0 = none. */
  readonly pendingFailureDepth: number;
  readonly canOptimisticallyMerge: boolean;
  readonly batch: boolean;
  readonly batchingMaxWaitTimeMinutes: number;
  readonly batchingMinSize: number;
  /** `minimum`: a batch waits for `batchingMinSize` entries. `by_load`: it never waits, and more waiting entries make it larger. */
  readonly batchSizing: "minimum" | "by_load";
  /** How long entries with better priorities may overtake an entry. After that, only urgent ones may. */
  readonly priorityMaxWaitTimeMinutes: number;
  /** A pull request that is not ready within this time is cancelled. */
  readonly notReadyTimeoutHours: number;
  /** How long a pull request that lost its approval keeps its place in the queue; 0 = it loses its place at once. */
  readonly reviewGraceMinutes: number;
  readonly commentsEnabled: boolean;
  readonly commandsEnabled: boolean;
  /** The actor that disabled commands, as text for people; null = commands are not disabled, or the actor is not known. */
  readonly commandsDisabledBy: string | null;
  /** Labels submit, cancel, and set priorities. */
  readonly labelCommandsEnabled: boolean;
  /** The label that submits a pull request; null = the one in the repository file, or else the service's default. */
  readonly enqueueingLabel: string | null;
  /** Labels show the state of a pull request; null = only if the repository file names labels. */
  readonly stateLabelsEnabled: boolean | null;
  /** Bots that may give commands, in addition to those in the repository file: logins, or numeric ids as text. */
  readonly allowedBotSubmitters: readonly string[];
  /** Enabling auto-merge submits a pull request, and disabling it cancels the pull request. */
  readonly submitByAutoMerge: boolean;
  /** A draft pull request is opened for each test branch, for CI that only runs on pull requests. */
  readonly createPrsForTestingBranches: boolean;
  readonly statusCheckEnabled: boolean;
  /** Required checks that override those of the branch protection; null = not set. */
  readonly requiredStatuses: readonly string[] | null;
  /** Required checks whose results count on the heads of the pull requests instead of on the test branch. */
  readonly acceptFromHead: readonly string[];
  readonly directMergeMode: "off" | "always";
  readonly optimizationMode: "off" | "bisection_skip_redundant_tests";
  readonly mergeMethod: MergeMethod;
  /** `async_api`: uses GitHub's asynchronous merge API. `auto`: uses the safest of the other ways that the rules allow. */
  readonly mergeBy: "auto" | "async_api";
  /** Anyone may read the queue's page without signing in; absent = only those who may read the repository's queues. */
  readonly publicPage?: boolean;
}

export type MergeMethod = "merge_commit" | "squash" | "rebase";

export const defaultSettings: QueueSettings = {
  mode: "single",
  policy: "adaptive",
  concurrency: 1,
  bisectionConcurrency: 1,
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

/** The maximum values that the engine uses of settings whose wire type allows 4294967295. */
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

/** The setting as the engine uses it: the configured value, but at most its engine limit. */
export function settingInUse(settings: QueueSettings, key: keyof typeof engineLimits): number {
  return Math.min(settings[key], engineLimits[key]);
}

/** How long an entry may wait to become ready before it is cancelled, in milliseconds. */
export function readinessTimeoutMs(settings: QueueSettings): number {
  return settingInUse(settings, "notReadyTimeoutHours") * 3_600_000;
}

/** Whether pull requests that impact different targets are tested and merged independently of each other. */
export function usesLanes({ mode }: Pick<QueueSettings, "mode">): boolean {
  return mode === "parallel";
}

/**
 * How the tests of a queue are ordered. `line`: each test is on top of all dependencies ahead, and failed batches are bisected. `beliefs`:
 * the tests are chosen by the probability that each pull request is at fault, given all tests so far.
 */
export type Strategy = "line" | "beliefs";

/** From this number of slots on, the strategy `beliefs` merges sooner than `line` (ADR 84). */
const slotsForBeliefs = { single: 3, parallel: 16 };

/**
 * Returns the strategy for the settings. In `single` mode, `beliefs` needs batches of any size, and does not support waiting for successors
 * of a failed entry.
 */
export function strategyFor(settings: QueueSettings): Strategy {
  const { policy, mode, batch, batchSizing, pendingFailureDepth } = settings;
  if (policy !== "adaptive") return firstStrategy(settings);
  if (settingInUse(settings, "concurrency") < slotsForBeliefs[mode]) return "line";
  const isAnySize = batch && batchSizing === "by_load";
  return mode === "parallel" || (isAnySize && pendingFailureDepth === 0) ? "beliefs" : "line";
}

/** The strategy with which a policy begins. With `adaptive`, the next decision chooses another one if the settings require it. */
export function firstStrategy({ policy }: Pick<QueueSettings, "policy">): Strategy {
  return policy === "fixed" ? "line" : "beliefs";
}
