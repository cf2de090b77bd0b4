import { expect, test } from "@jest/globals";
import { playDemo } from "./play-demo.ts";

test("with every webhook lost the demo ends as its truth demands, only slower", async () => {
  const result = await playDemo({ dropWebhooks: 1 });
  expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, treeProofs: result.merged });
});
