import type { QueueChanges } from "../../../src/engine/model/input.ts";
import type { QueueSettings } from "../../../src/engine/model/settings.ts";

/** What may happen to a queue. Every step can be taken at any time: one that has nothing to act on does nothing. */
export type StepKind =
  /** People. */
  | "submit"
  | "submit_urgent"
  | "submit_high"
  | "submit_low"
  | "submit_alone"
  | "cancel"
  | "restart"
  | "configure"
  /** People try pull requests, and the code host and CI do their part. */
  | "try"
  | "cancel_try"
  | "advance_try"
  /** The pull request changes on the code host. */
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
  /** The base changes on the code host. */
  | "move_base"
  | "rewind_base"
  /** The world does what the queue ordered, well or badly. */
  | "build"
  | "outage"
  | "refuse_build"
  | "report"
  | "report_partly"
  | "flake"
  /** Only tests fail that are known to be flaky; their checks are re-run, or cannot be. */
  | "flake_known"
  | "rerun"
  | "refuse_rerun"
  | "silence"
  | "break"
  | "examine"
  | "merge"
  /** GitHub is asked, and does not answer: what became of it is read at the next try. */
  | "call"
  | "postpone"
  | "merge_interrupted"
  | "merge_refused"
  /** What was seen arrives: at last, late, or again. */
  | "look"
  | "look_at_base"
  | "read_base"
  | "deliver_base"
  | "echo"
  /** A freeze begins, changes or ends. */
  | "freeze"
  | "thaw"
  /** Time passes; the service restarts. */
  | "wait"
  | "wake"
  | "crash";

export interface Step {
  readonly do: StepKind;
  /** Which pull request, run, or other thing it is about; reduced to what there is. */
  readonly n: number;
  /** The queue is not told what changed on the code host. */
  readonly unseen?: true;
  /** With `configure`. */
  readonly changes?: QueueChanges;
}

/** Numbers of targets. */
export type ScenarioTargets = "ALL" | readonly number[];

/** What the world is like, and what happens in it, as plain data. */
export interface Scenario {
  readonly settings: QueueSettings;
  /** Fail by themselves, at the head that they begin with and at every second one after it. */
  readonly broken: readonly number[];
  /** Fail in tests that are known to be flaky: their reports make it look like a flake. Absent = none. */
  readonly excused?: readonly number[];
  /** Pull requests that pass together with another one although they are broken: `[broken, what mends it]`. */
  readonly cures?: readonly (readonly [number, number])[];
  /** Pass alone and fail together. A negative number is that move of the base from outside. */
  readonly clashes: readonly (readonly [number, number])[];
  /** Cannot be merged onto each other. */
  readonly conflicts: readonly (readonly [number, number])[];
  /** What each impacts besides what it clashes and conflicts on; absent = nothing. */
  readonly targets: Readonly<Record<number, ScenarioTargets>>;
  readonly steps: readonly Step[];
}

/** Pull requests are numbered from 1 to this. */
export const pullRequests = 12;
