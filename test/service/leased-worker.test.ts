import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { type LeasedRows, LeasedWorker } from "../../src/service/workers/leased-worker.ts";

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
  while (looks === 0) await sleep(5);
  await sleep(300);
  expect(looks).toBe(1);
  const stopped = worker.stop();
  end();
  await stopped;
});

/** A row that two workers want, in a database whose writes often wait for longer than a lease lasts. */
class SlowRow implements LeasedRows<{ claim: number }> {
  #leaseUntil = 0;
  #claims = 0;
  isSettled = false;

  async claim({ now, leaseMs }: { now: number; leaseMs: number }) {
    if (this.isSettled || this.#leaseUntil > now) return [];
    this.#leaseUntil = now + leaseMs;
    this.#claims += 1;
    return [{ claim: this.#claims }];
  }

  /** A write that waits for the lock has its effect at the end. */
  async renew({ claim }: { claim: number }, leaseUntil: number) {
    await sleep(slowMs);
    if (claim === this.#claims) this.#leaseUntil = leaseUntil;
  }

  async settle({ claim }: { claim: number }) {
    await sleep(slowMs);
    if (claim === this.#claims) this.isSettled = true;
  }

  async nextDue() {
    return this.isSettled ? null : this.#leaseUntil;
  }
}

const slowMs = 100;

test("workers do not take each other's claims without end while the database is slower than their leases", async () => {
  const row = new SlowRow();
  let executions = 0;
  const workers = ["worker-1", "worker-2"].map(
    (owner) =>
      new LeasedWorker<{ claim: number }>({
        ...{ name: "test", owner, leaseMs: 60, concurrency: 1, log: silent },
        rows: row,
        execute: async (claimed) => {
          executions += 1;
          await sleep(2 * slowMs);
          await row.settle(claimed);
        },
        clock: { now: () => Date.now() },
      }),
  );
  for (const worker of workers) worker.start();
  while (!row.isSettled && executions < 20) await sleep(slowMs);
  for (const worker of workers) await worker.stop();
  expect(row.isSettled).toBe(true);
  expect(executions).toBeLessThan(8);
});
