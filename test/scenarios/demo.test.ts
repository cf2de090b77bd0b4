import { beforeAll, expect, test } from "@jest/globals";
import type { DemoResult } from "../../tools/lab/demo/result.ts";
import { deployAlone } from "../../tools/lab/world.ts";
import { browserTest } from "../dashboard/viewers.ts";
import { playDemo } from "./play-demo.ts";
import { visitDemo } from "./visit-demo.ts";

let result: DemoResult;
let faults: Promise<readonly string[]>;

beforeAll(async () => {
  result = await playDemo({
    mergeMethod: "merge_commit",
    deploy: deployAlone,
    watch: async (demo) => {
      if (browserTest === test.skip) return;
      faults = visitDemo(demo);
      await faults.catch(() => {});
    },
  });
});

test("the demo ends with the right outcomes", () => {
  expect(result).toMatchObject({ violations: [], baseCommitsRed: 0, merged: 9, failed: 3, cancelled: 2 });
  expect(result.treeProofs).toBe(result.merged);
  // One of its tests failed in the queue and was rerun, and one was forgiven. The violations cover what the page has to show of them.
  expect(result.flakes).toMatchObject({ rerun: 1, forgiven: 1, evicted: 0 });
});

browserTest(
  "the pages of the running demo are accessible and fit on a phone, and one follows a merge without being loaded again",
  async () => {
    expect(await faults).toEqual([]);
  },
);
