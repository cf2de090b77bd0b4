import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { CommandLog, LoggedCommand } from "../../ports/command-log.ts";
import type { Writes } from "../sqlite/group-commit.ts";
import type { Database } from "../sqlite/schema.ts";
import { presentRepoKey, repoKey } from "./repo-key.ts";

export class SqlCommandLog implements CommandLog {
  readonly #db: Database;
  readonly #writes: Writes;

  constructor(db: Database, writes: Writes) {
    this.#db = db;
    this.#writes = writes;
  }

  async record(
    repo: RepositoryRef,
    subject: string,
    command: LoggedCommand,
    queueId: string | null = null,
  ): Promise<void> {
    await this.#writes.run((tx) =>
      tx
        .insertInto("last_commands")
        .values({ repo_key: presentRepoKey(repo, queueId), subject, ...columnsOf(command) })
        .onConflict((known) =>
          known
            .columns(["repo_key", "subject"])
            .doUpdateSet(columnsOf(command))
            .where((known) =>
              known.or([
                known("last_commands.at", "<", command.at),
                known.and([
                  known("last_commands.at", "=", command.at),
                  known("last_commands.comment_id", "<=", command.comment || Number.MAX_SAFE_INTEGER),
                ]),
              ]),
            ),
        )
        .execute(),
    );
  }

  async last(repo: RepositoryRef, subject: string): Promise<LoggedCommand | null> {
    const found = await this.#db
      .selectFrom("last_commands")
      .select(["command_id as id", "comment_id as comment", "verb", "at", "answer"])
      .where("repo_key", "=", repoKey(repo))
      .where("subject", "=", subject)
      .executeTakeFirst();
    return found ?? null;
  }

  async forget(before: number): Promise<number> {
    return await this.#writes.run(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom("last_commands")
        .where("at", "<", before)
        .executeTakeFirst();
      return Number(numDeletedRows);
    });
  }
}

const columnsOf = ({ id, comment, ...command }: LoggedCommand) => ({
  ...command,
  command_id: id,
  comment_id: comment,
});
