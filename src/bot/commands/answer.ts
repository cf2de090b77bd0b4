import type { GivenUpCode } from "../../store/leased/inbox.ts";

/** Codes of the bot's own refusals. Refusals of the queue have codes of the API. */
type RefusalCode =
  | "NOT_UNDERSTOOD"
  | "NOT_PLAIN_TEXT"
  | "NOT_A_COMMENT"
  | "PERMISSION_TOO_LOW"
  | "BOT_NOT_LISTED"
  | "COMMENT_EDITED"
  | "PUSHED_SINCE"
  | "SUPERSEDED"
  | "MERGED_BEFORE"
  | GivenUpCode
  | "CHECK_OUTDATED"
  | "COST_NOT_CONFIRMED"
  | "REPOSITORY_FILE_INVALID";

/** The outcome of a command, in Markdown. */
export type Answer =
  /** `text` is null when the pull request's status shows everything. */
  | {
      readonly done: true;
      readonly text: string | null;
      /** What the answer is about; absent = the pull request in the queue. The report of a try replaces answers about the try. */
      readonly about?: "try" | "commands";
    }
  /** Nothing was done; `text` says why, and what would help. */
  | { readonly done: false; readonly code: string; readonly text: string };

export function done(text: string | null = null): Answer {
  return { done: true, text };
}

export function refused(code: RefusalCode, text: string): Answer & { done: false } {
  return refusedByQueue(code, text);
}

export function refusedByQueue(code: string, text: string): Answer & { done: false } {
  return { done: false, code, text: `${text} (\`${code}\`)` };
}
