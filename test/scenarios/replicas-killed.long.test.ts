import { expect, test } from "@jest/globals";
import { runReplicas } from "../../tools/lab/replicas/replicas.ts";

test("three replicas merge the right pull requests when they are killed in turn and their database crashes", async () => {
  const result = await runReplicas({
    ...{ pullRequests: 60, replicas: 3, concurrency: 8, seed: 7 },
    ...{ kills: 8, killEveryMs: [1_000, 2_500], crashes: 2 },
    ...{ ciDurationMs: [150, 400], patienceMs: 900_000 },
  });
  expect(result).toMatchObject({ violations: [], disturbances: { crashes: 2 } });
  // A fast machine has merged everything before the last kill.
  expect(result.disturbances.kills).toBeGreaterThanOrEqual(4);
  expect(result).toMatchObject({ prs: 60, baseCommitsRed: 0, treeProofs: result.merged });
}, 1_500_000);
