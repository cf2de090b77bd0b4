import { describe, expect, it } from "@jest/globals";
import { buildClaim, buildTask } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function outboxHasteningContract(create: CreateDatabase): void {
  describe("hastened tasks", () => {
    const open = databaseForEachTest(create);

    /** Opens an outbox with one task in each of these streams that is due later. */
    async function openPostponed(...streams: readonly string[]) {
      const { outbox } = await open();
      for (const [index, stream] of streams.entries())
        await outbox.add(buildTask(index + 1, { stream, notBefore: 5_000 }));
      const claim = async (now: number) =>
        (await outbox.claim(buildClaim(now))).map(({ stream }) => stream).sort();
      return { outbox, claim };
    }

    it("are due at the given time in each stream with the prefix, and in no other stream", async () => {
      const { outbox, claim } = await openPostponed("build/a", "build/a/2", "build/b", "abuild/a");
      await outbox.hasten(["build/a"], 100);
      expect(await outbox.nextDue()).toBe(100);
      expect(await claim(99)).toEqual([]);
      expect(await claim(100)).toEqual(["build/a", "build/a/2"]);
    });

    it("are never delayed", async () => {
      const { outbox } = await openPostponed("build/a");
      await outbox.hasten(["build/a"], 9_000);
      expect(await outbox.nextDue()).toBe(5_000);
    });

    it("keep their order within a stream", async () => {
      const { outbox } = await openPostponed("build/a", "build/a");
      await outbox.hasten(["build/a"], 100);
      const [first, ...others] = await outbox.claim(buildClaim(100));
      expect(others).toEqual([]);
      expect(first?.task).toMatchObject({ pr: 1 });
    });

    it("are not taken from the worker that holds them", async () => {
      const { outbox, claim } = await openPostponed("build/a");
      await outbox.claim(buildClaim(5_000));
      await outbox.hasten(["build/a"], 5_100);
      expect(await claim(5_100)).toEqual([]);
      expect(await claim(6_000)).toEqual(["build/a"]);
    });

    it("include none if no stream is given", async () => {
      const { outbox } = await openPostponed("build/a");
      await outbox.hasten([], 100);
      expect(await outbox.nextDue()).toBe(5_000);
    });
  });
}
