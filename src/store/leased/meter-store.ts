import { nameKey } from "../../engine/model/names.ts";
import type { Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

/** An increment of a counter. */
export interface MeterStep {
  /** Lower-case slug. */
  readonly organisation: string;
  readonly series: string;
  readonly by: number;
}

/** Adds to counters, as part of a larger write. */
export async function addSteps(tx: Tx, steps: readonly MeterStep[]): Promise<void> {
  for (const { organisation, series, by } of steps) {
    await tx
      .insertInto("meters")
      .values({ organisation: nameKey(organisation), series, value: by })
      .onConflict((known) =>
        known
          .columns(["organisation", "series"])
          .doUpdateSet((meter) => ({ value: meter("meters.value", "+", by) })),
      )
      .execute();
  }
}

/** Counters that only increase. All replicas add to them. */
export class MeterStore extends SqlStore {
  async add(steps: readonly MeterStep[]): Promise<void> {
    await this.writes.run((tx) => addSteps(tx, steps));
  }

  /** All counters of an organisation by name; summed over all organisations when it is null. */
  async read(organisation: string | null): Promise<ReadonlyMap<string, number>> {
    const all = this.db
      .selectFrom("meters")
      .select((meter) => ["series", meter.fn.sum<number>("value").as("value")])
      .groupBy("series");
    const own = organisation === null ? all : all.where("organisation", "=", nameKey(organisation));
    return new Map((await own.execute()).map(({ series, value }) => [series, Number(value)]));
  }
}
