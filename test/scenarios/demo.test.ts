import { expect, test } from "@jest/globals";
import { playDemo } from "./play-demo.ts";

test("the demo ends as its truth demands", async () => {
  const result = await playDemo({ mergeMethod: "merge_commit" });
  expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, merged: 9, failed: 3, cancelled: 2 });
  expect(result.treeProofs).toBe(result.merged);
  // One of its tests failed in the queue and was run again, one was forgiven; see violations for what the page has to show of it.
  expect(result.flakes).toMatchObject({ rerun: 1, forgiven: 1, evicted: 0 });
});
