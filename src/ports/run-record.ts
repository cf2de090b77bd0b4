import type { TestRun } from "../engine/model/test-run.ts";

/** A test run as it is remembered, also when it decides nothing any more. */
export interface RunRecord {
  readonly run: TestRun;
  readonly status: "in_progress" | "succeeded" | "failed" | "cancelled";
  readonly endedAt: number | null;
  /** Its members as they were when it began. */
  readonly pullRequests: readonly {
    readonly pr: number;
    readonly title: string;
    readonly url: string;
    readonly headSha: string;
  }[];
}
