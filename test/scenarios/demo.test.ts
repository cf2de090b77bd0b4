import { expect, test } from "@jest/globals";
import { playDemo } from "./play-demo.ts";

test("the demo ends with the right outcomes", async () => {
  const result = await playDemo({ mergeMethod: "merge_commit" });
  expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, merged: 9, failed: 3, cancelled: 2 });
  expect(result.treeProofs).toBe(result.merged);
  // One of its tests failed in the queue and was rerun, and one was forgiven. The violations cover what the page has to show of them.
  expect(result.flakes).toMatchObject({ rerun: 1, forgiven: 1, evicted: 0 });
});
