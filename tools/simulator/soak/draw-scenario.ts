import type { QueueChanges } from "../../../src/engine/model/input.ts";
import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import { createRandomSource, type RandomSource } from "../../../src/replay/workload/random-source.ts";
import { pullRequests, type Scenario, type ScenarioTargets, type Step, type StepKind } from "./scenario.ts";

/** Steps about tries and archives are added to some scenarios later. */
type DrawnKind = Exclude<StepKind, TryKind | "archive" | "unarchive" | "require">;
type TryKind = "try" | "cancel_try" | "advance_try";

const weights: Readonly<Record<DrawnKind, number>> = {
  submit: 60,
  submit_urgent: 4,
  submit_high: 6,
  submit_low: 4,
  submit_alone: 4,
  cancel: 6,
  restart: 5,
  configure: 10,
  push: 6,
  close: 2,
  reopen: 4,
  draft: 2,
  undraft: 4,
  unsettle: 3,
  object: 5,
  retarget_branch: 1,
  merge_by_hand: 2,
  retarget: 10,
  move_base: 5,
  rewind_base: 2,
  build: 110,
  outage: 6,
  refuse_build: 2,
  report: 100,
  report_partly: 8,
  flake: 3,
  flake_known: 9,
  rerun: 14,
  refuse_rerun: 2,
  silence: 2,
  break: 4,
  examine: 30,
  merge: 80,
  call: 8,
  postpone: 5,
  merge_interrupted: 5,
  merge_refused: 5,
  look: 12,
  look_at_base: 6,
  read_base: 4,
  deliver_base: 4,
  echo: 12,
  freeze: 3,
  thaw: 1,
  wait: 8,
  wake: 8,
  crash: 4,
};

const kinds = Object.keys(weights) as DrawnKind[];
/** The share of scenarios with tries, and the share of steps before which one is added. */
const withTries = 0.3;
const trySteps = 0.2;
const tryKinds = ["try", "try", "advance_try", "advance_try", "advance_try", "cancel_try"] as const;
/** The share of scenarios whose repository is archived, and the share of steps before which it is archived or unarchived. */
const withArchive = 0.15;
const archiveSteps = 0.1;
/** The share of scenarios whose required checks change, and the share of steps before which they do. */
const withRequirements = 0.15;
const requirementSteps = 0.05;
const total = kinds.reduce((sum, kind) => sum + weights[kind], 0);
const seeable: ReadonlySet<StepKind> = new Set([
  "push",
  "close",
  "reopen",
  "draft",
  "undraft",
  "unsettle",
  "object",
  "retarget_branch",
  "merge_by_hand",
  "retarget",
  "move_base",
  "rewind_base",
]);

/** The possible values of settings that the engine's decisions depend on. */
const settingChoices = {
  mode: ["single", "parallel"],
  policy: ["fixed", "beliefs"],
  concurrency: [1, 2, 4, 8],
  bisectionConcurrency: [1, 2, 3],
  pendingFailureDepth: [0, 1, 2],
  canOptimisticallyMerge: [false, true],
  batch: [false, true],
  batchingMinSize: [1, 2, 4, 16],
  batchingMaxWaitTimeMinutes: [1, 5],
  optimizationMode: ["off", "bisection_skip_redundant_tests"],
  mergeMethod: ["merge_commit", "squash", "rebase"],
  directMergeMode: ["off", "always"],
  commandsEnabled: [true, true, true, false],
  testingTimeoutMinutes: [30, 300],
  flakyRetries: [0, 1, 1, 2, 3],
  priorityMaxWaitTimeMinutes: [5, 480],
  reviewGraceMinutes: [0, 60],
} as const satisfies { [Key in keyof QueueSettings]?: readonly QueueSettings[Key][] };

/** Drawn last, so that the older seeds still produce the scenarios that they produced before these settings existed. */
const laterChoices = {
  batchSizing: ["minimum", "by_load"],
} as const satisfies { [Key in keyof QueueSettings]?: readonly QueueSettings[Key][] };
/** The share of scenarios with pull requests that pass only together with others. */
const withCures = 0.2;
/** The share of scenarios with the default policy. */
const withDefaultPolicy = 0.3;

/** Returns the scenario of a seed, which is the same on any machine. */
export function drawScenario(seed: number, narrowed: Partial<QueueSettings> = {}): Scenario {
  const random = createRandomSource(seed);
  const settings = { ...defaultSettings, ...drawSettings(random), ...narrowed };
  const clashes = drawMany(random, 6, () => [drawPr(random), drawPr(random)] as const);
  const outside = drawMany(random, 2, () => [-1 - below(random, 4), drawPr(random)] as const);
  const broken = drawMany(random, 4, () => drawPr(random));
  const scenario = {
    settings,
    broken,
    excused: broken.filter(() => random() < 0.3),
    clashes: [...clashes, ...outside].filter(([a, b]) => a !== b),
    conflicts: drawMany(random, 3, () => [drawPr(random), drawPr(random)] as const).filter(
      ([a, b]) => a !== b,
    ),
    targets: drawTargets(random),
    steps: Array.from({ length: 60 + below(random, 140) }, () => drawStep(random)),
  };
  const steps = random() < withTries ? mixInTries(random, scenario.steps) : scenario.steps;
  const drawn = { ...scenario, steps, settings: { ...settings, ...drawLater(random), ...narrowed } };
  const cured = random() < withCures ? mixInCures(random, drawn, narrowed) : drawn;
  const later = createRandomSource(seed * 49_979_687 + 11);
  const archived = later() < withArchive ? { ...cured, steps: mixInArchive(later, cured.steps) } : cured;
  const last = createRandomSource(seed * 67_867_979 + 19);
  if (last() >= withRequirements) return archived;
  return { ...archived, steps: mixInRequirements(last, archived.steps) };
}

/**
 * Adds cures to a scenario. Uses single mode, where all dependencies are known. Turns optimistic merging and batches off: with
 * them, a broken pull request would merge before the later one that cures it. Replaces the policy `beliefs`, which counts a
 * failure against a pull request even if a later merge cures it.
 */
function mixInCures(random: RandomSource, scenario: Scenario, narrowed: Partial<QueueSettings>): Scenario {
  const cures = scenario.broken.map((pr) => [pr, drawPr(random)] as const).filter(([pr, by]) => pr !== by);
  const { policy } = scenario.settings;
  const kept = {
    mode: "single",
    policy: policy === "beliefs" ? "adaptive" : policy,
    canOptimisticallyMerge: false,
    batch: false,
  } as const;
  const isAllowed = Object.entries(kept).every(
    ([key, value]) => (narrowed[key as keyof typeof kept] ?? value) === value,
  );
  if (!isAllowed) return scenario;
  const steps = scenario.steps.filter(({ changes = {} }) =>
    Object.keys(kept).every((key) => !(key in changes)),
  );
  return { ...scenario, steps, cures, settings: { ...scenario.settings, ...kept } };
}

function drawLater(random: RandomSource): Partial<QueueSettings> {
  const batchSizing = pick(random, laterChoices.batchSizing);
  return random() < withDefaultPolicy ? { batchSizing, policy: "adaptive" } : { batchSizing };
}

function mixInTries(random: RandomSource, steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => {
    if (random() >= trySteps) return [step];
    const tried: Step = { do: pick(random, tryKinds), n: below(random, 1_000) };
    return [tried, step];
  });
}

function mixInRequirements(random: RandomSource, steps: readonly Step[]): Step[] {
  return steps.flatMap((step): Step[] => {
    const [chance, n, unseen] = [random(), below(random, 1_000), random() < 0.3];
    if (chance >= requirementSteps) return [step];
    return [{ do: "require", n, ...(unseen ? { unseen: true as const } : {}) }, step];
  });
}

function mixInArchive(random: RandomSource, steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => {
    if (random() >= archiveSteps) return [step];
    return [{ do: pick(random, ["archive", "unarchive"] as const), n: 0 }, step];
  });
}

function drawSettings(random: RandomSource): Partial<QueueSettings> {
  return Object.fromEntries(
    Object.entries(settingChoices).map(([key, of]) => [key, pick(random, of as readonly unknown[])]),
  );
}

function drawStep(random: RandomSource): Step {
  const kind = drawKind(random);
  const step: Step = { do: kind, n: below(random, 1_000) };
  if (kind === "configure") return { ...step, changes: drawChanges(random) };
  return seeable.has(kind) && random() < 0.3 ? { ...step, unseen: true } : step;
}

function drawKind(random: RandomSource): DrawnKind {
  let left = random() * total;
  for (const kind of kinds) {
    left -= weights[kind];
    if (left < 0) return kind;
  }
  return "wake";
}

function drawChanges(random: RandomSource): QueueChanges {
  if (random() < 0.15) return { mode: pick(random, settingChoices.mode) };
  if (random() < 0.5) return { status: pick(random, ["paused", "draining", "running", "running"] as const) };
  const [key, choices] = pick(random, Object.entries(settingChoices));
  return { [key]: pick(random, choices as readonly unknown[]) };
}

function drawTargets(random: RandomSource): Record<number, ScenarioTargets> {
  const drawn: Record<number, ScenarioTargets> = {};
  for (let pr = 1; pr <= pullRequests; pr++) {
    if (random() < 0.1) drawn[pr] = "ALL";
    else drawn[pr] = [1, 2, 3, 4, 5, 6].filter(() => random() < 0.2);
  }
  return drawn;
}

function drawPr(random: RandomSource): number {
  return 1 + below(random, pullRequests);
}

function drawMany<T>(random: RandomSource, max: number, drawOne: () => T): T[] {
  return Array.from({ length: below(random, max + 1) }, drawOne);
}

function pick<T>(random: RandomSource, items: readonly T[]): T {
  return items[below(random, items.length)] as T;
}

function below(random: RandomSource, limit: number): number {
  return Math.floor(random() * limit);
}
