import type { RepositoryRef } from "../engine/model/queue.ts";

/** A command that decided something, such as whether a pull request is in the queue. */
export interface LoggedCommand {
  /** Names the command, also when its delivery is handled again. */
  readonly id: string;
  /** The number of the comment that gave it; 0 = none did. */
  readonly comment: number;
  readonly verb: string;
  /** When it was given, in milliseconds since the epoch by the code host's clock, which counts whole seconds. */
  readonly at: number;
  /** The answer to it, as JSON. */
  readonly answer: string;
}

/**
 * The last command of each subject, for as long as an earlier one may still be found whose webhook was lost. `subject` is unique in its
 * repository.
 */
export interface CommandLog {
  /**
   * The later time wins, and the later comment within a second.
   *
   * @param queueId of a queue of the repository, which knows its present name; null = the name that is given is the present one
   */
  record(
    repo: RepositoryRef,
    subject: string,
    command: LoggedCommand,
    queueId?: string | null,
  ): Promise<void>;
  last(repo: RepositoryRef, subject: string): Promise<LoggedCommand | null>;
  /** Removes the commands that were given before a time. Returns their number. */
  forget(before: number): Promise<number>;
}
