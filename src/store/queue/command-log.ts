import type { RepositoryRef } from "../../engine/model/queue.ts";
import { SqlStore } from "../sqlite/sql-store.ts";
import { presentRepoKey, repoKey } from "./repo-key.ts";

/** A command that decided something, such as whether a pull request is in the queue. */
export interface LoggedCommand {
  /** The command's id, which is the same when its delivery is handled again. */
  readonly id: string;
  /** The number of the comment that gave it; 0 = none did. */
  readonly comment: number;
  readonly verb: string;
  /** When it was given, in milliseconds since the epoch by the code host's clock, which counts whole seconds. */
  readonly at: number;
  /** The answer to the command, as JSON. */
  readonly answer: string;
}

/**
 * The last command of each subject. A command is kept as long as polling may still find an earlier command whose webhook was lost.
 * `subject` is unique in its repository.
 */
export class CommandLog extends SqlStore {
  /**
   * The command with the later time wins; within a second, the later comment.
   *
   * @param queueId a queue of the repository, from which its current name is read; null = `repo` has the current name
   */
  async record(
    repo: RepositoryRef,
    subject: string,
    command: LoggedCommand,
    queueId: string | null = null,
  ): Promise<void> {
    await this.writes.run((tx) =>
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
    const found = await this.db
      .selectFrom("last_commands")
      .select(["command_id as id", "comment_id as comment", "verb", "at", "answer"])
      .where("repo_key", "=", repoKey(repo))
      .where("subject", "=", subject)
      .executeTakeFirst();
    return found ?? null;
  }

  /** Removes the commands that were given before a time. Returns their number. */
  async forget(before: number): Promise<number> {
    return await this.writes.run(async (tx) => {
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
