import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import type { Workload } from "../../src/replay/workload/workload.ts";
import fc from "../drawn.ts";
import { writtenWorkload } from "./build-workload.ts";

const number = fc.integer({ min: 1, max: 12 });
const targets = fc.oneof(
  fc.constant("ALL" as const),
  fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 2 }),
);

/** A workload of up to twelve arbitrary pull requests. */
export const anyWorkload: fc.Arbitrary<Workload> = fc
  .record({
    seed: fc.nat({ max: 1000 }),
    workers: fc.integer({ min: 1, max: 6 }),
    flakeRate: fc.constantFrom(0, 0, 0.1),
    pullRequests: fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 60 }),
        fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.boolean() }),
        minutes: fc.integer({ min: 1, max: 30 }),
        priority: fc.constantFrom(100, 100, 10, 200, 0),
        targets,
      }),
      { minLength: 1, maxLength: 12 },
    ),
    conflicts: fc.array(fc.tuple(number, number), { maxLength: 4 }),
    cancellations: fc.array(fc.tuple(number, fc.integer({ min: 0, max: 120 })), { maxLength: 3 }),
  })
  .map(({ seed, workers, flakeRate, pullRequests, conflicts, cancellations }) => {
    const exists = (n: number) => n <= pullRequests.length;
    return writtenWorkload({
      settings: { seed, workers, flakeRate },
      pullRequests: pullRequests.toSorted((one, other) => one.at - other.at),
      conflicts: conflicts.filter(([a, b]) => a !== b && exists(a) && exists(b)),
      cancellations: cancellations.filter(([n]) => exists(n)),
    });
  });

/** Arbitrary settings of a queue in this mode. */
export function anySettings(
  mode: QueueSettings["mode"],
  narrowed: Partial<QueueSettings> = {},
): fc.Arbitrary<QueueSettings> {
  const changes = fc.record({
    concurrency: fc.integer({ min: 1, max: 6 }),
    bisectionConcurrency: fc.integer({ min: 1, max: 3 }),
    pendingFailureDepth: fc.integer({ min: 0, max: 3 }),
    canOptimisticallyMerge: fc.boolean(),
    batch: fc.boolean(),
    batchingMinSize: fc.integer({ min: 1, max: 5 }),
    batchingMaxWaitTimeMinutes: fc.integer({ min: 1, max: 20 }),
    optimizationMode: fc.constantFrom("off" as const, "bisection_skip_redundant_tests" as const),
    mergeMethod: fc.constantFrom("squash" as const, "merge_commit" as const),
  });
  return changes.map((drawn) =>
    queueSettings(mode, { workers: 1, scope: "tree" }, { ...drawn, ...narrowed }),
  );
}

/** Whether two pull requests conflict although their targets do not overlap. In that case the base may break. */
export function hidesConflicts({ pullRequests, conflicts }: Workload): boolean {
  const of = (n: number) => pullRequests.find((one) => one.n === n)?.targets ?? [];
  return conflicts.some(({ a, b }) => {
    const [one, other] = [of(a), of(b)];
    if (one.length === 0 || other.length === 0) return true;
    return one !== "ALL" && other !== "ALL" && !one.some((target) => other.includes(target));
  });
}
