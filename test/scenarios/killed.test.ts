import { expect, test } from "@jest/globals";
import type { RunningDemo } from "../../src/demo/run-demo.ts";
import { playDemo } from "./play-demo.ts";

test("with the service killed at 20 random moments the demo ends as its truth demands", async () => {
  const result = await playDemo({ seed: 1, watch: (demo) => killOften(demo, 20) });
  expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, treeProofs: result.merged });
}, 300_000);

/** SIGKILL, again and again, until the demo has finished; at least `times` before that or the test says nothing. */
async function killOften({ service, finished }: RunningDemo, times: number): Promise<void> {
  let ended = false;
  const ending = finished.finally(() => {
    ended = true;
  });
  let kills = 0;
  while (!ended) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400)), ending]);
    if (ended) break;
    await service.kill();
    kills += 1;
    await service.start();
    if (kills >= times) break;
  }
  expect(kills).toBeGreaterThanOrEqual(times);
}
