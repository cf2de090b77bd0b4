import { describe, expect, it } from "@jest/globals";
import { buildCommit, buildCreation, buildEvents } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function replicaStoreContract(create: CreateDatabase): void {
  describe("a replica store", () => {
    const open = databaseForEachTest(create);

    it("counts the beats of each replica", async () => {
      const { replicas } = await open();
      await replicas.beat("a", "host 1");
      await replicas.beat("b", "host 2");
      expect(await replicas.beat("a", "host 1")).toEqual({
        at: expect.any(Number),
        replicas: [
          { id: "a", beats: 2 },
          { id: "b", beats: 1 },
        ],
        lead: null,
      });
    });

    it("gives the lead to one of those who ask for it at the same time, whose beats then count", async () => {
      const { replicas } = await open();
      const taken = await Promise.all(["a", "b", "c"].map((id) => replicas.takeLead(id, null)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      const holder = ["a", "b", "c"][taken.indexOf(true)] ?? "";
      await replicas.beat(holder, "host");
      const { lead } = await replicas.beat("d", "host");
      expect(lead).toEqual({ holder, beats: 2 });
    });

    it("gives the lead to another one only if its holder has not beaten meanwhile", async () => {
      const { replicas } = await open();
      await replicas.takeLead("a", null);
      const { lead: seen } = await replicas.beat("b", "host");
      await replicas.beat("a", "host");
      expect(await replicas.takeLead("b", seen)).toBe(false);
      const { lead: now } = await replicas.beat("b", "host");
      expect(await replicas.takeLead("b", now)).toBe(true);
      expect((await replicas.beat("a", "host")).lead).toMatchObject({ holder: "b" });
    });

    it("removes a replica together with its lead", async () => {
      const { replicas } = await open();
      await replicas.beat("a", "host");
      await replicas.takeLead("a", null);
      await replicas.remove("a");
      expect(await replicas.beat("b", "host")).toMatchObject({
        replicas: [{ id: "b", beats: 1 }],
        lead: null,
      });
    });

    it("shows notes in the order in which they were sent, until they are deleted", async () => {
      const { replicas } = await open();
      const before = await replicas.lastNote();
      for (const content of ["1", "2", "3"]) await replicas.send("a", content);
      const notes = await replicas.notesAfter(before);
      expect(notes.map(({ sender, content }) => [sender, content])).toEqual([
        ["a", "1"],
        ["a", "2"],
        ["a", "3"],
      ]);
      const second = notes[1]?.id ?? 0;
      expect(await replicas.lastNote()).toBe(notes.at(-1)?.id);
      await replicas.forgetNotes(second);
      expect((await replicas.notesAfter(before)).map(({ content }) => content)).toEqual(["3"]);
    });

    it("knows the last event of each queue", async () => {
      const { replicas, queues } = await open();
      expect(await replicas.lastEvents()).toEqual(new Map());
      await queues.commit(buildCreation());
      await queues.commit(buildCommit({ events: buildEvents(2, 5) }));
      expect(await replicas.lastEvents()).toEqual(new Map([["queue-1", 5]]));
    });
  });
}
