import type { TestRun } from "../engine/model/test-run.ts";
import type { Reason } from "../engine/reasons/reason.ts";

/** The stored record of a test run, kept also after the run is no longer active. */
export interface RunRecord {
  readonly run: TestRun;
  readonly status: "in_progress" | "succeeded" | "failed" | "cancelled";
  readonly endedAt: number | null;
  /** Why it was cancelled; absent = it was not, or an earlier version recorded it. */
  readonly cancelledFor?: Reason;
  /** Its members as they were when the run started. */
  readonly pullRequests: readonly {
    readonly pr: number;
    readonly title: string;
    readonly url: string;
    readonly headSha: string;
  }[];
}
