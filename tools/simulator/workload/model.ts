import type { Scope } from "../../../src/replay/workload/workload.ts";
import type { Wildness } from "./make-wild.ts";

/** The parameters of a generated workload. Rates are shares of 1, durations are minutes. */
export interface WorkloadModel {
  readonly seed: number;
  /** Pull requests per hour, at random times (Poisson). */
  readonly rate: number;
  readonly hours: number;
  readonly workers: number;
  /** The share of pull requests that fail alone. */
  readonly bad: number;
  readonly flakeRate: number;
  readonly scope: Scope;
  readonly resubmitMinutes: number;
  /** The concentration of the risks: they have a Beta distribution with mean `bad`. */
  readonly riskConcentration: number;
  /** The error of the predictor: the standard deviation of the log odds that it sees. */
  readonly riskNoise: number;
  /** The probability that two pull requests share a target. */
  readonly pairShare: number;
  /** The share of pull requests that impact every target. */
  readonly allShare: number;
  /** The probability that two pull requests with a common target conflict. */
  readonly conflictShare: number;
  /** The probability that two pull requests without a common target conflict: the errors of an unsound target analysis. */
  readonly hiddenConflictShare: number;
  /** The duration of a pull request's tests: lognormal, within the bounds. */
  readonly minutes: {
    readonly median: number;
    readonly sigma: number;
    readonly min: number;
    readonly max: number;
  };
  readonly durationNoise: number;
  /** Absent = only submissions at random times. */
  readonly wild?: Wildness;
}

export interface Preset {
  readonly about: string;
  readonly model: WorkloadModel;
  /** The queue mode that this workload is intended for. */
  readonly mode: "single" | "parallel";
}

const github: WorkloadModel = {
  seed: 1,
  rate: 200,
  hours: 8,
  workers: 200,
  bad: 0.05,
  flakeRate: 0.01,
  scope: "tree",
  resubmitMinutes: 30,
  riskConcentration: 1,
  riskNoise: 0.7,
  pairShare: 0.006,
  allShare: 0,
  conflictShare: 0.04,
  hiddenConflictShare: 0,
  minutes: { median: 25, sigma: 0, min: 5, max: 120 },
  durationNoise: 0.22,
};

export const presets = {
  github: {
    about: "a test branch runs the whole suite: 200 PRs/h, 200 workers, 25 minutes",
    mode: "parallel",
    model: github,
  },
  paper: {
    about: "tests scoped to the change, as in the SubmitQueue paper: 500 PRs/h, 500 workers, no flakes",
    mode: "parallel",
    model: {
      ...github,
      rate: 500,
      workers: 500,
      flakeRate: 0,
      scope: "members",
      minutes: { median: 27, sigma: 0.55, min: 5, max: 120 },
      durationNoise: 0.08,
    },
  },
  "small-team": {
    about: "as github, in one line: 6 PRs/h, 4 workers",
    mode: "single",
    model: { ...github, rate: 6, workers: 4 },
  },
  wild: {
    about:
      "6 PRs/h, 8 workers, tests of minutes to hours; bursts, an outage, a hot target, pushes, urgent ones",
    mode: "parallel",
    model: {
      ...github,
      rate: 6,
      hours: 24,
      workers: 8,
      pairShare: 0.1,
      allShare: 0.2,
      durationNoise: 0.8,
      wild: {
        ...{ burst: 10, urgentShare: 0.05, cancelShare: 0.1, pushShare: 0.1, hotShare: 0.3 },
        outageMinutes: 60,
      },
    },
  },
  outage: {
    about: "20 PRs/h, 8 workers, tests of two minutes; everything fails for an hour",
    mode: "parallel",
    model: {
      ...github,
      rate: 20,
      workers: 8,
      minutes: { median: 2, sigma: 0, min: 0.5, max: 120 },
      wild: { burst: 1, urgentShare: 0, cancelShare: 0, pushShare: 0, hotShare: 0, outageMinutes: 60 },
    },
  },
  single: {
    about: "as github, in one line: 50 PRs/h, 50 workers",
    mode: "single",
    model: { ...github, rate: 50, workers: 50 },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
