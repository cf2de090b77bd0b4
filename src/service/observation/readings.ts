import type { BaseReadings } from "./base-readings.ts";
import type { PullRequestReadings } from "./pull-request-readings.ts";

/** Judges whether a reading of the code host is older than the known state. */
export interface Readings {
  readonly bases: BaseReadings;
  readonly pulls: PullRequestReadings;
}
