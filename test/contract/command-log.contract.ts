import { describe, expect, it } from "@jest/globals";
import { repo } from "./build-queue.ts";
import { type CreateDatabase, databaseForEachTest } from "./empty-database.ts";

const command = (verb: string, at: number, comment = 0) => {
  return { id: `${verb}/${at}`, comment, verb, at, answer: "{}" };
};

export function commandLogContract(create: CreateDatabase): void {
  describe("the command log", () => {
    const open = databaseForEachTest(create);

    it("returns null for a subject without a command", async () => {
      const { commands } = await open();
      expect(await commands.last(repo, "#7")).toBeNull();
    });

    it("keeps the last command, regardless of the order of the records", async () => {
      const { commands } = await open();
      await commands.record(repo, "#7", command("merge", 100));
      await commands.record(repo, "#7", command("cancel", 300));
      await commands.record(repo, "#7", command("merge", 200));
      expect(await commands.last(repo, "#7")).toEqual(command("cancel", 300));
    });

    it("keeps the later comment of two in a second, and otherwise what was recorded last", async () => {
      const { commands } = await open();
      await commands.record(repo, "#7", command("merge", 100, 2));
      await commands.record(repo, "#7", command("cancel", 100, 1));
      expect(await commands.last(repo, "#7")).toEqual(command("merge", 100, 2));
      await commands.record(repo, "#7", command("cancel", 100));
      expect(await commands.last(repo, "#7")).toEqual(command("cancel", 100));
    });

    it("separates subjects, and matches the repository regardless of case", async () => {
      const { commands } = await open();
      await commands.record(repo, "#7", command("merge", 100));
      await commands.record(repo, "queue/main", command("pause", 200));
      expect(await commands.last({ ...repo, owner: "OCTO-ORG" }, "#7")).toEqual(command("merge", 100));
      expect(await commands.last(repo, "#8")).toBeNull();
    });

    it("forgets the commands that were given before a time", async () => {
      const { commands } = await open();
      await commands.record(repo, "#7", command("merge", 100));
      await commands.record(repo, "#8", command("merge", 200));
      expect(await commands.forget(200)).toBe(1);
      expect(await commands.last(repo, "#7")).toBeNull();
      expect(await commands.last(repo, "#8")).toEqual(command("merge", 200));
    });
  });
}
