import type { DemoResult } from "../../tools/lab/demo/result.ts";
import { type DemoOptions, runDemo } from "../../tools/lab/demo/run-demo.ts";

/** Plays the whole demo at a fast pace. The result lists violations, red bases, missing proofs and leftovers. */
export function playDemo(options: Partial<DemoOptions>): Promise<DemoResult> {
  return runDemo({
    pullRequests: 14,
    seed: 7,
    mergeMethod: "squash",
    concurrency: 3,
    mode: "single",
    batch: false,
    ciDurationMs: [300, 700],
    dropWebhooks: 0,
    port: null,
    // A busy machine takes long to write the last comments and to remove the last branches.
    tidyMs: 60_000,
    ...options,
  });
}
