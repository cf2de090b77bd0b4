import type { TestRun } from "../engine/model/test-run.ts";

/** The stored record of a test run, kept also after the run is no longer active. */
export interface RunRecord {
  readonly run: TestRun;
  readonly status: "in_progress" | "succeeded" | "failed" | "cancelled";
  readonly endedAt: number | null;
  /** Its members as they were when the run started. */
  readonly pullRequests: readonly {
    readonly pr: number;
    readonly title: string;
    readonly url: string;
    readonly headSha: string;
  }[];
}
