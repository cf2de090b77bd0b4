import { describe, expect, it } from "@jest/globals";
import type { Outbox, OutboxRow } from "../../src/store/leased/outbox.ts";
import fc from "../drawn.ts";
import { buildClaim, buildTask } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

type Step =
  | { readonly act: "add"; readonly stream: string; readonly delay: number }
  | { readonly act: "claim"; readonly limit: number }
  | { readonly act: "settle" | "postpone" | "abandon"; readonly pick: number }
  | { readonly act: "wait"; readonly ms: number };

const streams = ["a", "b", "c"];
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    act: fc.constant("add" as const),
    stream: fc.constantFrom(...streams),
    delay: fc.nat({ max: 50 }),
  }),
  fc.record({ act: fc.constant("claim" as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    act: fc.constantFrom("settle" as const, "postpone" as const, "abandon" as const),
    pick: fc.nat(),
  }),
  fc.record({ act: fc.constant("wait" as const), ms: fc.nat({ max: 200 }) }),
);

/** Workers that claim, finish, fail and die in any order. */
class Workshop {
  readonly #outbox: Outbox;
  readonly #prefix: string;
  now = 0;
  #added = 0;
  #leased: { readonly row: OutboxRow; readonly until: number }[] = [];
  readonly planned = new Map<string, number[]>();
  readonly done = new Map<string, number[]>();

  constructor(outbox: Outbox, prefix: string) {
    this.#outbox = outbox;
    this.#prefix = prefix;
  }

  async take(step: Step): Promise<void> {
    switch (step.act) {
      case "add": {
        const stream = this.#prefix + step.stream;
        const pr = ++this.#added;
        await this.#outbox.add(buildTask(pr, { stream, notBefore: this.now + step.delay }));
        this.planned.set(stream, [...(this.planned.get(stream) ?? []), pr]);
        return;
      }
      case "claim":
        await this.claim(step.limit);
        return;
      case "wait":
        this.now += step.ms;
        return;
      default: {
        const [taken] = this.#leased.splice(step.pick % (this.#leased.length || 1), 1);
        if (!taken || step.act === "abandon") return;
        if (step.act === "settle") await this.settle(taken.row);
        else await this.#outbox.postpone(taken.row, this.now + 30, "failed");
      }
    }
  }

  async claim(limit: number): Promise<readonly OutboxRow[]> {
    const leaseMs = 100;
    this.#leased = this.#leased.filter((lease) => lease.until > this.now);
    const rows = await this.#outbox.claim(buildClaim(this.now, { limit, leaseMs }));
    for (const row of rows) {
      expect(this.#leased.map((lease) => lease.row.stream)).not.toContain(row.stream);
      this.#leased.push({ row, until: this.now + leaseMs });
    }
    return rows;
  }

  async settle(row: OutboxRow): Promise<void> {
    if (!("pr" in row.task)) throw new Error("not one of ours");
    await this.#outbox.settle(row);
    this.#leased = this.#leased.filter((lease) => lease.row.id !== row.id);
    if (!row.stream.startsWith(this.#prefix)) return;
    this.done.set(row.stream, [...(this.done.get(row.stream) ?? []), row.task.pr]);
  }

  async finish(): Promise<void> {
    for (let due = await this.#outbox.nextDue(); due !== null; due = await this.#outbox.nextDue()) {
      this.now = Math.max(this.now, due);
      for (const row of await this.claim(10)) await this.settle(row);
    }
  }
}

export function outboxOrderContract(create: CreateDatabase): void {
  describe("streams of tasks", () => {
    const open = databaseForEachTest(create);

    it("are processed completely, in order and one task at a time, whatever the workers do", async () => {
      const { outbox } = await open();
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60 }), async (steps) => {
          const workshop = new Workshop(outbox, `${runs++} `);
          for (const step of steps) await workshop.take(step);
          await workshop.finish();
          expect(workshop.done).toEqual(workshop.planned);
        }),
        { numRuns: 100 },
      );
    });
  });
}
