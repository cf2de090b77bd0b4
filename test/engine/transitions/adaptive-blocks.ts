import { line, runOf } from "./adaptive-queue.ts";
import type { Scenarios } from "./scenario.ts";

/** The policy `beliefs` in `single` mode. */
export const adaptiveBlocks: Scenarios = [
  [
    "testing → pending PASSED_ALONE",
    () => {
      const queue = line({ batch: true, batchingMinSize: 2 }, 2, 3);
      queue.built(2);
      queue.fails(2);
      queue.built(2);
      queue.passes(2);
      return queue;
    },
  ],
  [
    "testing → pending CONFLICT_WITH_AHEAD",
    () => {
      const queue = line({ concurrency: 3 }, 1, 2);
      queue.runBuilt(runOf(queue, [2], []));
      queue.buildOfRunEnds(runOf(queue, [2], [1]), { kind: "conflict", pr: 2 });
      return queue;
    },
  ],
  [
    "pending_failure → pending INTERRUPTED_BY_URGENT",
    () => {
      const queue = line({ concurrency: 2 }, 1, 2, 3);
      queue.built(2);
      queue.fails(2);
      queue.submit(4, {}, 0);
      return queue;
    },
  ],
];
