import type { DemoResult } from "../../tools/demo/result.ts";
import { type DemoOptions, runDemo } from "../../tools/demo/run-demo.ts";

/** The whole demo at a fast pace. It ends with a judgement by the truth: violations, red bases, missing proofs, litter. */
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
    watch: ({ finished }) => finished,
    ...options,
  });
}
