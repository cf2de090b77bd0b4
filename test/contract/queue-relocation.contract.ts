import { describe, expect, it } from "@jest/globals";
import type { QueuePlace } from "../../src/ports/queue-store.ts";
import { buildCommit, buildCreation, buildQueue, repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const renamed = { ...repo, name: "Tram" };
const head = { sha: "a", at: 100 };

function placeOf(given: Partial<QueuePlace> = {}): QueuePlace {
  const { branch, installationId, repositoryId } = buildQueue();
  return { repo, branch, installationId, repositoryId, ...given };
}

export function queueRelocationContract(create: CreateDatabase): void {
  describe("a relocated queue", () => {
    const open = databaseForEachTest(create);

    it("is found only under its new repository, branch and installation, and keeps its id and log", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const place = placeOf({ repo: renamed, branch: "trunk", installationId: 43 });
      expect(await queues.relocate("queue-1", place)).toBe(true);
      expect(await queues.find(repo, "main")).toBeNull();
      expect(await queues.find(renamed, "trunk")).toEqual(buildQueue(place));
      expect(await queues.list()).toEqual([buildQueue(place)]);
      expect((await queues.load("queue-1")).events).toHaveLength(1);
    });

    it("moves the data of its pull requests, which replaces existing data under the new name", async () => {
      const { queues, publications, heads, targets } = await open();
      await queues.commit(buildCreation());
      await publications.put(repo, 7, { commentId: "ours" }, 1);
      await publications.put(renamed, 7, { commentId: "of the repository that had this name" }, 1);
      await publications.put(renamed, 8, { commentId: "of the repository that had this name" }, 1);
      await heads.record(repo, 7, head);
      const upload = { repo, pr: 7, headSha: "a", source: "organisation", uploadedAt: 1 } as const;
      await targets.put({ ...upload, targets: "ALL" });
      await queues.relocate("queue-1", placeOf({ repo: renamed }));
      expect((await publications.get(renamed, 7)).commentId).toBe("ours");
      expect((await publications.get(renamed, 8)).commentId).toBeNull();
      expect((await publications.get(repo, 7)).commentId).toBeNull();
      expect(await heads.last(renamed, 7)).toEqual(head);
      expect(await targets.has(renamed, 7, "a")).toBe(true);
      expect(await targets.has(repo, 7, "a")).toBe(false);
    });

    it("keeps data that another queue of the same repository has already moved", async () => {
      const { queues, heads } = await open();
      await queues.commit(buildCreation());
      await queues.commit(buildCreation(buildQueue({ id: "queue-2", branch: "next" })));
      await heads.record(repo, 7, head);
      await queues.relocate("queue-1", placeOf({ repo: renamed }));
      await queues.relocate("queue-2", placeOf({ repo: renamed, branch: "next" }));
      expect(await heads.last(renamed, 7)).toEqual(head);
    });

    it("stays where it is while another queue has that branch, and moves once that queue is deleted", async () => {
      const { queues, heads } = await open();
      await queues.commit(buildCreation());
      const other = buildQueue({ id: "queue-2", repo: renamed });
      await queues.commit(buildCreation(other));
      await heads.record(repo, 7, head);
      expect(await queues.relocate("queue-1", placeOf({ repo: renamed, installationId: 43 }))).toBe(false);
      expect(await queues.get("queue-1")).toEqual(buildQueue());
      expect(await queues.find(renamed, "main")).toEqual(other);
      expect(await heads.last(repo, 7)).toEqual(head);
      await queues.commit(buildCommit({ queueId: "queue-2", deletes: true }));
      expect(await queues.relocate("queue-1", placeOf({ repo: renamed }))).toBe(true);
    });

    it("changes its spelling and its installation without losing data", async () => {
      const { queues, heads } = await open();
      await queues.commit(buildCreation());
      await heads.record(repo, 7, head);
      const shouted = { ...repo, owner: "OCTO-ORG" };
      expect(await queues.relocate("queue-1", placeOf({ repo: shouted, installationId: 43 }))).toBe(true);
      expect(await queues.find(repo, "main")).toEqual(buildQueue({ repo: shouted, installationId: 43 }));
      expect(await heads.last(repo, 7)).toEqual(head);
    });
  });
}
