import type { DemoResult } from "../tools/lab/demo/result.ts";
import { type DemoOptions, runDemo } from "../tools/lab/demo/run-demo.ts";
import type { Benchmark } from "./benchmark.ts";
import { toRow } from "./statistics.ts";

const runs = 3;
const pullRequests = 100;
const warmUpPullRequests = 12;
const concurrency = 4;
const ciDurationMs = [600, 1_200] as const;

/** A test run takes as long as the longer of its two checks. Their durations are distributed uniformly over the range. */
const meanTestSeconds = (ciDurationMs[0] + (ciDurationMs[1] - ciDurationMs[0]) * (2 / 3)) / 1000;

/** One merge into the test branch and one into the base. Branches are created and deleted by GraphQL. */
const leastCalls = 2;

const about = `${pullRequests} pull requests through the sandbox, ${concurrency} tested at once, as npm run demo has them: conflicts,
broken ones, and changes of mind among them. Every run is judged, and one violation fails the benchmark.
end-to-end               seconds for each merged pull request, all told; merge_commit
end-to-end-calls         REST calls of the service, all of them, for each merged pull request (304s are free)
end-to-end-squash, end-to-end-squash-calls  the same with squash
Floor: CI alone: each pull request that merged or failed tested once, ${meanTestSeconds} s on average, ${concurrency} at once without a gap.
Floor of the calls: the ${leastCalls} that it cannot be done without: merge into the test branch, merge into the base; nothing
read, and nobody told.`;

export const endToEnd: Benchmark = {
  about,
  async *measure(tell) {
    tell(`warm-up: ${warmUpPullRequests} pull requests`);
    await run({ mergeMethod: "merge_commit", pullRequests: warmUpPullRequests, seed: 1 });
    for (const [name, mergeMethod] of [
      ["end-to-end", "merge_commit"],
      ["end-to-end-squash", "squash"],
    ] as const) {
      const results: DemoResult[] = [];
      for (let seed = 1; seed <= runs; seed++) {
        tell(`${name}: run ${seed} of ${runs}, some 40 seconds`);
        results.push(await run({ mergeMethod, pullRequests, seed }));
      }
      yield toRow(name, "s/merged PR", {
        values: results.map(({ seconds, merged }) => seconds / merged),
        floors: results.map(
          ({ merged, failed }) => ((merged + failed) * meanTestSeconds) / concurrency / merged,
        ),
      });
      yield toRow(`${name}-calls`, "REST calls/merged PR", {
        values: results.map(({ restCallsPerMerged }) => restCallsPerMerged),
        floors: results.map(() => leastCalls),
      });
    }
  },
};

async function run(options: Pick<DemoOptions, "mergeMethod" | "pullRequests" | "seed">): Promise<DemoResult> {
  const result = await runDemo({
    ...options,
    concurrency,
    ciDurationMs,
    mode: "single",
    batch: false,
    dropWebhooks: 0,
    port: null,
  });
  if (result.violations.length > 0) {
    const { mergeMethod, seed } = options;
    throw new Error(`with seed ${seed} and ${mergeMethod}, this went wrong: ${result.violations.join("; ")}`);
  }
  return result;
}
