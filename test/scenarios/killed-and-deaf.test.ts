import { describe, expect, test } from "@jest/globals";
import { type DemoOptions, type RunningDemo, runDemo } from "../../src/demo/run-demo.ts";

/** The whole demo at a fast pace. It ends with a judgement by the truth: violations, red bases, missing proofs, litter. */
function play(options: Partial<DemoOptions>) {
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

describe("the demo ends as its truth demands", () => {
  test("with merge commits", async () => {
    const result = await play({ mergeMethod: "merge_commit" });
    expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, merged: 9, failed: 3, cancelled: 2 });
    expect(result.treeProofs).toBe(result.merged);
  }, 180_000);

  test("with every webhook lost, only slower", async () => {
    const result = await play({ dropWebhooks: 1 });
    expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, treeProofs: result.merged });
  }, 240_000);

  test("with squash and the service killed at 20 random moments", async () => {
    const result = await play({ pullRequests: 20, seed: 1, watch: (demo) => killOften(demo, 20) });
    expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, treeProofs: result.merged });
  }, 300_000);
});

/** SIGKILL, again and again, until the demo has finished; at least `times` before that or the test says nothing. */
async function killOften({ service, finished }: RunningDemo, times: number): Promise<void> {
  let ended = false;
  const ending = finished.finally(() => {
    ended = true;
  });
  let kills = 0;
  while (!ended) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 600)), ending]);
    if (ended) break;
    await service.kill();
    kills += 1;
    await service.start();
    if (kills >= times) break;
  }
  expect(kills).toBeGreaterThanOrEqual(times);
}
