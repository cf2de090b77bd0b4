import type { Writes } from "../sqlite/group-commit.ts";

/** For how long counts are kept: the clocks of replicas differ. */
const keptSeconds = 60;

/** The numbers of requests to all replicas together. */
export class RequestCountStore {
  readonly #writes: Writes;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  /**
   * Adds requests of a second to those of other replicas. Returns the sums by key. Counts of earlier seconds are deleted later.
   *
   * @param second seconds since the epoch
   */
  add(second: number, requests: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    return this.#writes.run(async (tx) => {
      await tx
        .deleteFrom("request_counts")
        .where("second", "<", second - keptSeconds)
        .execute();
      const sums = new Map<string, number>();
      for (const [key, count] of requests) {
        const { used } = await tx
          .insertInto("request_counts")
          .values({ second, key, used: count })
          .onConflict((known) =>
            known
              .columns(["second", "key"])
              .doUpdateSet((row) => ({ used: row("request_counts.used", "+", count) })),
          )
          .returning("used")
          .executeTakeFirstOrThrow();
        sums.set(key, Number(used));
      }
      return sums;
    });
  }
}
