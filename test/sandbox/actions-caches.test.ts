import { describe, expect, test } from "@jest/globals";
import { ActionsCaches } from "../../tools/sandbox/ci/actions-caches.ts";

describe("a run restores", () => {
  const caches = new ActionsCaches("main");
  caches.save("main", "deps-1");
  caches.save("main", "deps-2");
  caches.save("feature", "deps-3");
  caches.save("other", "deps-4");

  test.each([
    ["an equal key of its branch", "feature", "deps-3", "deps-3"],
    ["the newest of its branch, before an equal key of the default branch", "feature", "deps-1", "deps-3"],
    ["an equal key of the default branch", "new", "deps-1", "deps-1"],
    ["the newest of the default branch", "new", "deps-9", "deps-2"],
    ["nothing of other branches", "new", "deps-4", "deps-2"],
  ])("%s", (_what, branch, key, found) => {
    expect(caches.restore(branch, key, ["deps-"])).toBe(found);
  });
});

interface Plan {
  readonly slots: number | null;
  /** CI runs on pushes to main, too. */
  readonly savesOnMain: boolean;
  /** One in this many pull requests changes the dependencies. */
  readonly changesEvery: number;
}

/** The percentage of 200 tests that found an equal key, and of those that found any cache. */
function measure({ slots, savesOnMain, changesEvery }: Plan): { exact: number; warm: number } {
  const caches = new ActionsCaches("main");
  let exact = 0;
  let warm = 0;
  for (let n = 0; n < 200; n++) {
    const key = `deps-${Math.floor(n / changesEvery)}`;
    const branch = slots === null ? `trainyard-merge/pr-${n}` : `trainyard-merge/slot-${n % slots}`;
    const found = caches.restore(branch, key, ["deps-"]);
    if (found === key) exact += 1;
    if (found !== null) warm += 1;
    caches.save(branch, key);
    if (savesOnMain) caches.save("main", key);
  }
  return { exact: exact / 2, warm: warm / 2 };
}

describe("tests of the queue, one after the other, find caches", () => {
  test.each([
    ["never on a branch for each test, when nothing saves on main", null, false, 10, { exact: 0, warm: 0 }],
    ["on a branch for each test, when a workflow saves on main", null, true, 10, { exact: 90, warm: 99.5 }],
    ["on 4 slots, when nothing saves on main", 4, false, 10, { exact: 60, warm: 98 }],
    [
      "on 4 slots less often, because an old cache of the slot hides the one of main, when a workflow saves on main",
      4,
      true,
      10,
      { exact: 61.5, warm: 99.5 },
    ],
  ] as const)("%s", (_what, slots, savesOnMain, changesEvery, found) => {
    expect(measure({ slots, savesOnMain, changesEvery })).toEqual(found);
  });
});
