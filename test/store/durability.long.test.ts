import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { buildCreation, buildQueue } from "../contract/build-queue.ts";
import { createSqliteFile, type SqliteFile } from "./sqlite-file.ts";

const rounds = 7;
const queueIds = ["a", "b", "c"];
const program = fileURLToPath(new URL("./commit-until-killed.ts", import.meta.url));

describe("acknowledged commits", () => {
  let file: SqliteFile;
  beforeEach(async () => {
    file = await createSqliteFile();
    const { queues, close } = await file.open();
    for (const id of queueIds) await queues.commit(buildCreation(buildQueue({ id, branch: id })));
    await close();
  });
  afterEach(() => file.remove());

  it("are stored without gaps after the process was killed repeatedly during its work", async () => {
    let acknowledged = new Map(queueIds.map((id) => [id, 1]));
    for (let round = 0; round < rounds; round++) {
      // In some rounds, the number is high enough to pass a checkpoint of the write-ahead log.
      const printed = await runUntilKilled(Math.floor(Math.random() * 3_000) + 1);
      const { queues, outbox, close } = await file.open();
      let committed = 0;
      for (const id of queueIds) {
        const { events } = await queues.load(id);
        const least = printed.get(id) ?? acknowledged.get(id) ?? 0;
        expect(events.length).toBeGreaterThanOrEqual(least);
        expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
        acknowledged = new Map(acknowledged).set(id, events.length);
        committed += commitsIn(events.length);
      }
      expect(await outbox.depth()).toBe(committed);
      await close();
    }
  });

  /**
   * Kills the program once it has acknowledged the given number of commits. Returns the last one of each
   * queue.
   */
  async function runUntilKilled(commits: number): Promise<ReadonlyMap<string, number>> {
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", program, file.path, ...queueIds],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const exited = once(child, "exit");
    const last = new Map<string, number>();
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [id = "", seq = ""] = line.split(" ");
      last.set(id, Number(seq));
      if (++seen === commits) child.kill("SIGKILL");
    }
    const [, signal] = await exited;
    expect(signal).toBe("SIGKILL");
    return last;
  }
});

/**
 * Returns how many commits of the program lead to a log of this length. Each commit appends 1 to 3 events and
 * one task.
 */
function commitsIn(length: number): number {
  let commits = 0;
  for (let seq = 1; seq < length; seq += 1 + (seq % 3)) commits++;
  return commits;
}
