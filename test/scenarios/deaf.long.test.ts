import { expect, test } from "@jest/globals";
import { playDemo } from "./play-demo.ts";

test("the demo ends with the right outcomes when every webhook is lost", async () => {
  const result = await playDemo({ dropWebhooks: 1 });
  expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, treeProofs: result.merged });
});
