import type { BaseReadings } from "./base-readings.ts";
import type { PullRequestReadings } from "./pull-request-readings.ts";

/** What judges whether a reading of the code host is older than what is known. */
export interface Readings {
  readonly bases: BaseReadings;
  readonly pulls: PullRequestReadings;
}
