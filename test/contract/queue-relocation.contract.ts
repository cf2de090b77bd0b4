import { describe, expect, it } from "@jest/globals";
import type { ClaimedRow, PlannedTask } from "../../src/store/leased/outbox.ts";
import type { CommitResult, QueuePlace, QueueStore } from "../../src/store/queue/queue-store.ts";
import { buildCommit, buildCreation, buildQueue, repo } from "./build-queue.ts";
import { buildClaim, buildTask } from "./build-task.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const renamed = { ...repo, name: "Tram" };
const head = { sha: "a", at: 100 };

function placeOf(given: Partial<QueuePlace> = {}): QueuePlace {
  const { branch, installationId, repositoryId } = buildQueue();
  return { repo, branch, installationId, repositoryId, ...given };
}

const streams = { from: "publish/trains/", to: "publish/trams/" };

function relocate(queues: QueueStore, queueId: string, place: QueuePlace): Promise<CommitResult> {
  return queues.commit(buildCommit({ queueId, relocates: { place, streams } }));
}

/** A task that shows a pull request of a repository. */
function publishing(of: QueuePlace["repo"], pr: number, notBefore = 0): PlannedTask {
  const stream = `publish/${of === repo ? "trains" : "trams"}/${pr}`;
  return { task: { type: "publish", repo: of, pr }, stream, notBefore, coalesce: true };
}

export function queueRelocationContract(create: CreateDatabase): void {
  describe("a relocated queue", () => {
    const open = databaseForEachTest(create);

    it("is found only under its new repository, branch and installation, and keeps its id and log", async () => {
      const { queues } = await open();
      await queues.commit(buildCreation());
      const place = placeOf({ repo: renamed, branch: "trunk", installationId: 43 });
      expect(await relocate(queues, "queue-1", place)).toBe("committed");
      expect(await queues.find(repo, "main")).toBeNull();
      expect(await queues.find(renamed, "trunk")).toEqual(buildQueue(place));
      expect(await queues.list()).toEqual([buildQueue(place)]);
      expect((await queues.load("queue-1")).events).toHaveLength(1);
    });

    it("moves the data of its pull requests, which replaces existing data under the new name", async () => {
      const { queues, publications, heads, commands, targets } = await open();
      await queues.commit(buildCreation());
      await commands.record(repo, "#7", { id: "a", comment: 0, verb: "cancel", at: 1, answer: "{}" });
      await publications.put(repo, 7, { commentId: "ours" }, 1);
      await publications.put(renamed, 7, { commentId: "of the repository that had this name" }, 1);
      await publications.put(renamed, 8, { commentId: "of the repository that had this name" }, 1);
      await heads.record(repo, 7, head);
      const upload = { repo, pr: 7, headSha: "a", source: "organisation", uploadedAt: 1 } as const;
      await targets.put({ ...upload, targets: "ALL" });
      await relocate(queues, "queue-1", placeOf({ repo: renamed }));
      expect((await publications.get(renamed, 7)).commentId).toBe("ours");
      expect((await publications.get(renamed, 8)).commentId).toBeNull();
      expect((await publications.get(repo, 7)).commentId).toBeNull();
      expect(await heads.last(renamed, 7)).toEqual(head);
      expect(await commands.last(renamed, "#7")).toEqual({
        id: "a",
        comment: 0,
        verb: "cancel",
        at: 1,
        answer: "{}",
      });
      expect(await targets.has(renamed, 7, "a")).toBe(true);
      expect(await targets.has(repo, 7, "a")).toBe(false);
    });

    it("keeps a command under its new name that is noted when the name is not known yet", async () => {
      const { queues, commands } = await open();
      await queues.commit(buildCreation());
      await relocate(queues, "queue-1", placeOf({ repo: renamed }));
      const resume = { id: "a", comment: 2, verb: "resume", at: 2, answer: "{}" };
      await commands.record(repo, "queue/queue-1", resume, "queue-1");
      expect(await commands.last(renamed, "queue/queue-1")).toEqual(resume);
      expect(await commands.last(repo, "queue/queue-1")).toBeNull();
    });

    it("keeps data that another queue of the same repository has already moved", async () => {
      const { queues, heads } = await open();
      await queues.commit(buildCreation());
      await queues.commit(buildCreation(buildQueue({ id: "queue-2", branch: "next" })));
      await heads.record(repo, 7, head);
      await relocate(queues, "queue-1", placeOf({ repo: renamed }));
      await relocate(queues, "queue-2", placeOf({ repo: renamed, branch: "next" }));
      expect(await heads.last(renamed, 7)).toEqual(head);
    });

    it("keeps that data also if something was stored late under the former name", async () => {
      const { queues, heads } = await open();
      await queues.commit(buildCreation());
      await queues.commit(buildCreation(buildQueue({ id: "queue-2", branch: "next" })));
      await heads.record(repo, 7, head);
      await relocate(queues, "queue-1", placeOf({ repo: renamed }));
      await heads.record(renamed, 8, head);
      await heads.record(repo, 8, { sha: "late", at: 50 });
      await heads.record(repo, 9, head);
      await relocate(queues, "queue-2", placeOf({ repo: renamed, branch: "next" }));
      expect(await heads.last(renamed, 7)).toEqual(head);
      expect(await heads.last(renamed, 8)).toEqual(head);
      expect(await heads.last(renamed, 9)).toEqual(head);
      expect(await heads.last(repo, 9)).toBeNull();
    });

    it("stays where it is while another queue has that branch, and moves once that queue is deleted", async () => {
      const { queues, heads } = await open();
      await queues.commit(buildCreation());
      const other = buildQueue({ id: "queue-2", repo: renamed });
      await queues.commit(buildCreation(other));
      await heads.record(repo, 7, head);
      expect(await relocate(queues, "queue-1", placeOf({ repo: renamed, installationId: 43 }))).toBe(
        "place_taken",
      );
      expect(await queues.get("queue-1")).toEqual(buildQueue());
      expect(await queues.find(renamed, "main")).toEqual(other);
      expect(await heads.last(repo, 7)).toEqual(head);
      await queues.commit(buildCommit({ queueId: "queue-2", deletes: true }));
      expect(await relocate(queues, "queue-1", placeOf({ repo: renamed }))).toBe("committed");
    });

    it("changes its spelling and its installation without losing data", async () => {
      const { queues, heads } = await open();
      await queues.commit(buildCreation());
      await heads.record(repo, 7, head);
      const shouted = { ...repo, owner: "OCTO-ORG" };
      expect(await relocate(queues, "queue-1", placeOf({ repo: shouted, installationId: 43 }))).toBe(
        "committed",
      );
      expect(await queues.find(repo, "main")).toEqual(buildQueue({ repo: shouted, installationId: 43 }));
      expect(await heads.last(repo, 7)).toEqual(head);
    });

    it("keeps what is posted about its pull requests under its new name, also when the name is not known yet", async () => {
      const { queues, publications } = await open();
      await queues.commit(buildCreation());
      await relocate(queues, "queue-1", placeOf({ repo: renamed }));
      await publications.put(repo, 7, { commentId: "ours" }, 1, "queue-1");
      expect((await publications.get(renamed, 7)).commentId).toBe("ours");
      expect((await publications.get(repo, 7)).commentId).toBeNull();
    });
  });

  describe("the tasks of a relocated queue", () => {
    const open = databaseForEachTest(create);

    async function openWith(...tasks: readonly PlannedTask[]) {
      const { queues, outbox } = await open();
      await queues.commit({ ...buildCreation(), tasks });
      const claim = async (now: number) => {
        const rows = await outbox.claim(buildClaim(now));
        return { rows, tasks: rows.map(({ task, stream }) => [stream, "repo" in task && task.repo.name]) };
      };
      return { outbox, claim, move: () => relocate(queues, "queue-1", placeOf({ repo: renamed })) };
    }

    it("name the new repository, in new streams, and keep their times", async () => {
      const { claim, move } = await openWith(publishing(repo, 7), publishing(repo, 70, 500), buildTask(3));
      await move();
      const [first, last] = [await claim(0), await claim(500)];
      expect(first.tasks).toEqual([
        ["publish/trams/7", "Tram"],
        [buildTask(3).stream, false],
      ]);
      expect(last.tasks).toEqual([["publish/trams/70", "Tram"]]);
    });

    it("are carried out again if a worker has one of them, after that worker is done", async () => {
      const { claim, move, outbox } = await openWith(publishing(repo, 7));
      const { rows } = await claim(0);
      await move();
      await outbox.add(publishing(renamed, 7));
      expect((await claim(0)).rows).toEqual([]);
      await outbox.settle(rows[0] as ClaimedRow);
      const again = await claim(0);
      expect(again.tasks).toEqual([["publish/trams/7", "Tram"]]);
      await outbox.settle(again.rows[0] as ClaimedRow);
      expect(await outbox.depth()).toBe(0);
    });

    it("are carried out once if a worker postpones the one that it has", async () => {
      const { claim, move, outbox } = await openWith(publishing(repo, 7));
      const { rows } = await claim(0);
      await move();
      await outbox.postpone(rows[0] as ClaimedRow, 800, "slow");
      expect((await claim(799)).rows).toEqual([]);
      expect((await claim(800)).tasks).toEqual([["publish/trams/7", "Tram"]]);
      expect(await outbox.depth()).toBe(1);
    });

    it("come before those that name the new repository already, one at a time", async () => {
      const { claim, move, outbox } = await openWith(publishing(repo, 7, 300));
      await outbox.add({ ...publishing(renamed, 7), coalesce: false });
      await move();
      expect((await claim(299)).rows).toEqual([]);
      const first = await claim(300);
      expect(first.rows).toHaveLength(1);
      await outbox.settle(first.rows[0] as ClaimedRow);
      expect((await claim(300)).rows).toHaveLength(1);
    });

    it("stay when another queue has the place", async () => {
      const { queues, outbox } = await open();
      await queues.commit({ ...buildCreation(), tasks: [publishing(repo, 7)] });
      await queues.commit(buildCreation(buildQueue({ id: "queue-2", repo: renamed })));
      expect(await relocate(queues, "queue-1", placeOf({ repo: renamed }))).toBe("place_taken");
      const [row] = await outbox.claim(buildClaim(0));
      expect(row).toMatchObject({ stream: "publish/trains/7", task: { repo: { name: "Train" } } });
    });
  });
}
