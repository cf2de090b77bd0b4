import type { QueueChanges } from "../../../src/engine/model/input.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";
import type { Targets } from "../../../src/engine/model/targets.ts";

/** The possible steps. Every step can be taken at any time; one without an object does nothing. */
export type StepKind =
  /** Commands of people. */
  | "submit"
  | "submit_urgent"
  | "submit_high"
  | "submit_low"
  | "submit_alone"
  | "cancel"
  | "restart"
  | "configure"
  /** Tries: commands of people, and the work of the code host and CI. */
  | "try"
  | "cancel_try"
  | "advance_try"
  /** Changes of a pull request on the code host. */
  | "push"
  | "close"
  | "reopen"
  | "draft"
  | "undraft"
  | "unsettle"
  | "object"
  | "retarget_branch"
  | "merge_by_hand"
  | "retarget"
  /** Changes of the base on the code host. */
  | "move_base"
  | "rewind_base"
  /** Work that the queue ordered, with or without faults. */
  | "build"
  | "outage"
  | "refuse_build"
  | "report"
  | "report_partly"
  | "flake"
  /** Failures only in tests that are known to be flaky. Their checks are re-run, or cannot be. */
  | "flake_known"
  | "rerun"
  | "refuse_rerun"
  | "silence"
  | "break"
  | "examine"
  | "merge"
  /** GitHub does not respond to a call. Its effect is read before the next attempt. */
  | "call"
  | "postpone"
  | "merge_interrupted"
  | "merge_refused"
  /** Observations arrive: normally, late, or repeatedly. */
  | "look"
  | "look_at_base"
  | "read_base"
  | "deliver_base"
  | "echo"
  /** A freeze begins, changes or ends. */
  | "freeze"
  | "thaw"
  /** Other checks must pass from now on. */
  | "require"
  /** The repository is archived or unarchived. */
  | "archive"
  | "unarchive"
  /** Time passes, or the service restarts. */
  | "wait"
  | "wake"
  | "crash";

export interface Step {
  readonly do: StepKind;
  /** Selects the pull request, run, or other object, modulo the number of existing ones. */
  readonly n: number;
  /** The queue does not learn of the change on the code host. */
  readonly unseen?: true;
  /** Only with `configure`. */
  readonly changes?: QueueChanges;
}

/** Target numbers. */
export type ScenarioTargets = "ALL" | readonly number[];

/** The initial state of the world and its events, as plain data. */
export interface Scenario {
  readonly settings: QueueSettings;
  /** Pull requests that fail alone, at their first head and at every second one after it. */
  readonly broken: readonly number[];
  /** Broken pull requests that fail in tests that are known to be flaky, so that reports look like a flake. Absent = none. */
  readonly excused?: readonly number[];
  /** Pull requests that are broken but pass together with another one: `[broken, cure]`. */
  readonly cures?: readonly (readonly [number, number])[];
  /** Pairs that pass alone and fail together. A negative number is that change of the base from outside. */
  readonly clashes: readonly (readonly [number, number])[];
  /** Pairs that cannot be merged onto each other. */
  readonly conflicts: readonly (readonly [number, number])[];
  /** The targets of each pull request besides those that it clashes and conflicts on; absent = none. */
  readonly targets: Readonly<Record<number, ScenarioTargets>>;
  readonly steps: readonly Step[];
}

/** Pull requests are numbered from 1 to this. */
export const pullRequests = 12;

/**
 * Whether two pull requests impact a common target, computed independently of the engine; null = unknown, which counts as all
 * targets.
 */
export function impactTheSame(one: Targets | null | undefined, other: Targets | null | undefined): boolean {
  const [a, b] = [one ?? "ALL", other ?? "ALL"];
  const [some, others] = [a, b].map((targets) => (targets === "ALL" ? null : [...targets]));
  if (some?.length === 0 || others?.length === 0) return false;
  return !some || !others || some.some((target) => others.includes(target));
}
