import { misplacesCommand } from "./misplaced-command.ts";
import { findOtherCommand, type OtherCommand } from "./other-queues.ts";
import { type ParsedCommand, parseCommands } from "./parse-command.ts";

export interface WrittenText {
  readonly body: string;
  /** The text before an edit; null for a new text. */
  readonly before: string | null;
  /** Where it stands; null = in a comment on the pull request. */
  readonly place: "review" | "line" | "description" | null;
}

/** What a text asks for. Only `commands` are carried out; everything else but `prose` is answered. */
export type Understood =
  | { readonly type: "commands"; readonly commands: readonly ParsedCommand[] }
  | { readonly type: "not_a_comment"; readonly place: "line" | "description" }
  | { readonly type: "not_plain_text" | "edited" | "prose" }
  | { readonly type: "other_queue"; readonly command: OtherCommand };

/** Decides what a person's text asks for. Never throws. */
export function understand({ body, before, place }: WrittenText, prefix: string): Understood {
  const commands = parseCommands(body, prefix);
  if (commands.length > 0) {
    if (before !== null && isSame(commands, parseCommands(before, prefix))) return { type: "prose" };
    if (place === "line" || place === "description") return { type: "not_a_comment", place };
    return before === null ? { type: "commands", commands } : { type: "edited" };
  }
  // Templates of descriptions explain commands.
  if (place === "description") return { type: "prose" };
  if (misplacesCommand(body, prefix)) {
    if (before === null) return { type: "not_plain_text" };
    return { type: misplacesCommand(before, prefix) ? "prose" : "edited" };
  }
  const command = before === null ? findOtherCommand(body) : null;
  return command ? { type: "other_queue", command } : { type: "prose" };
}

function isSame(commands: readonly ParsedCommand[], others: readonly ParsedCommand[]): boolean {
  return JSON.stringify(commands) === JSON.stringify(others);
}
