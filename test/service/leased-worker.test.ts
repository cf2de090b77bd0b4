import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { LeasedWorker } from "../../src/service/leased-worker.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

test("a worker whose places are all taken does not look for more work until one is free", async () => {
  let looks = 0;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const worker = new LeasedWorker<number>({
    ...{ name: "test", owner: "worker-1", leaseMs: 60_000, concurrency: 2, log: silent },
    rows: {
      // There is always more work than places.
      claim: async ({ limit }) => Array.from({ length: limit }, (_, index) => index),
      renew: async () => {},
      nextDue: async () => {
        looks += 1;
        return 0;
      },
    },
    execute: () => mayEnd,
    clock: { now: () => Date.now() },
  });
  worker.start();
  await sleep(300);
  expect(looks).toBe(1);
  const stopped = worker.stop();
  end();
  await stopped;
});
