import { describe, expect, it } from "@jest/globals";
import { buildCommit, buildCreation, buildEvents, buildQueue, repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

export function queueDirectoryContract(create: CreateDatabase): void {
  describe("the queue directory", () => {
    const open = databaseForEachTest(create);

    it("finds a queue by its branch, and matches the repository regardless of case", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const shouted = { host: "GITHUB.com", owner: "OCTO-ORG", name: "TRAIN" };
      expect(await queues.find(shouted, "main")).toEqual(buildQueue());
    });

    it("matches branches case-sensitively, like git", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      expect(await queues.find(repo, "Main")).toBeNull();
      expect(await queues.find(repo, "next")).toBeNull();
    });

    it("finds a queue by its id", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      expect(await queues.get("queue-1")).toEqual(buildQueue());
      expect(await queues.get("queue-2")).toBeNull();
    });

    it("lists queues, the oldest first", async () => {
      const { queues } = await open();
      for (const [id, createdAt] of [["b", 20] as const, ["c", 10] as const, ["a", 30] as const]) {
        await queues.commit(buildCreation(buildQueue({ id, branch: id, createdAt })));
      }
      expect((await queues.list()).map((queue) => queue.id)).toEqual(["c", "b", "a"]);
    });

    it("rejects a second queue for a branch, and matches the repository regardless of case", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const second = buildQueue({ id: "queue-2", repo: { ...repo, owner: "octo-ORG" } });
      expect(await queues.commit(buildCreation(second))).toBe("conflict");
      expect(await queues.get("queue-2")).toBeNull();
      expect((await queues.load("queue-2")).events).toEqual([]);
    });

    it("lets exactly one of two replicas create the queue of a branch", async () => {
      const replicas = [await open(), await open()];
      const answers = await Promise.all(
        replicas.map(({ queues }, index) =>
          queues.commit(buildCreation(buildQueue({ id: `queue-${index}` }))),
        ),
      );
      expect(answers.sort()).toEqual(["committed", "conflict"]);
    });

    it("frees the branch of a deleted queue, and keeps its record and its log", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      await queues.commit(buildCommit({ events: buildEvents(2, 2), deletes: true }));
      expect(await queues.find(repo, "main")).toBeNull();
      expect(await queues.list()).toEqual([]);
      expect(await queues.get("queue-1")).toEqual(buildQueue());
      expect((await queues.load("queue-1")).events).toEqual(buildEvents(1, 2));
    });

    it("accepts a new queue for a branch whose queue was deleted", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      await queues.commit(buildCommit({ deletes: true }));
      expect(await queues.commit(buildCreation(buildQueue({ id: "queue-2" })))).toBe("committed");
      expect((await queues.find(repo, "main"))?.id).toBe("queue-2");
    });
  });
}
