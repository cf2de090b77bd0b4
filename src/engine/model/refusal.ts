import { assertNever } from "../assert-never.ts";
import { type PartOfStack, renderPartOfStack } from "../reasons/stack.ts";
import type { EntryState } from "./entry.ts";

/** Why a command was refused. A refused command changes nothing. */
export type Refusal =
  | { readonly code: "QUEUE_EXISTS"; readonly branch: string }
  | { readonly code: "QUEUE_NOT_FOUND"; readonly branch: string }
  | { readonly code: "QUEUE_NOT_EMPTY"; readonly prs: readonly number[] }
  | { readonly code: "SWITCHING_MODES" }
  | { readonly code: "PR_NOT_OPEN"; readonly pr: number; readonly state: "closed" | "merged" }
  | {
      readonly code: "HEAD_MISMATCH";
      readonly pr: number;
      readonly expected: string;
      readonly actual: string;
    }
  | { readonly code: "FORK_NEEDS_SHA"; readonly pr: number; readonly head: string }
  | { readonly code: "HEAD_NOT_PROVEN"; readonly pr: number; readonly head: string }
  | ({ readonly pr: number } & PartOfStack)
  | { readonly code: "COMMANDS_DISABLED"; readonly by: string | null }
  | { readonly code: "NOT_QUEUED"; readonly pr: number }
  | { readonly code: "NOT_TESTING"; readonly pr: number; readonly state: EntryState }
  | { readonly code: "MERGE_ALREADY_ORDERED"; readonly pr: number }
  | { readonly code: "ALREADY_QUEUED"; readonly pr: number }
  | { readonly code: "MESSAGE_ALREADY_TESTED"; readonly pr: number }
  | { readonly code: "REBASE_KEEPS_MESSAGES"; readonly pr: number };

export type RefusalCode = Refusal["code"];

/** The refusal as a sentence that says what to do. */
export function renderRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case "QUEUE_EXISTS":
      return `A queue for branch "${refusal.branch}" exists already; change it with updateQueue.`;
    case "QUEUE_NOT_FOUND":
      return `There is no queue for branch "${refusal.branch}"; create it with createQueue.`;
    case "QUEUE_NOT_EMPTY":
      return `The queue still holds ${refusal.prs.map((pr) => `#${pr}`).join(", ")}; cancel or merge them first.`;
    case "SWITCHING_MODES":
      return "The queue is switching modes: until it has, it can only be paused, drained or resumed; change its settings when that is over.";
    case "PR_NOT_OPEN":
      return `#${refusal.pr} is ${refusal.state}; only an open pull request can be queued.`;
    case "HEAD_MISMATCH":
      return `The head of #${refusal.pr} is ${refusal.actual.slice(0, 12)}, not ${refusal.expected.slice(0, 12)}; look at what was pushed and submit that head.`;
    case "FORK_NEEDS_SHA":
      return `#${refusal.pr} comes from a fork, whose code would run with this repository's secrets. Look at the head ${refusal.head.slice(0, 12)}, then name it in a comment: \`merge ${refusal.head.slice(0, 12)}\`.`;
    case "HEAD_NOT_PROVEN":
      return `It is not certain that ${refusal.head.slice(0, 12)} was the head of #${refusal.pr} already when the command was given. Look at it, then give the command again in a comment, or name the head there: \`merge ${refusal.head.slice(0, 12)}\`.`;
    case "PART_OF_STACK":
      return `#${refusal.pr} cannot be queued: ${renderPartOfStack(refusal)}.`;
    case "COMMANDS_DISABLED":
      return `Commands in comments are switched off for this queue${refusal.by ? ` by ${refusal.by}` : ""} (\`commandsEnabled\`); use the label or the API.`;
    case "NOT_QUEUED":
      return `#${refusal.pr} is not in the queue.`;
    case "NOT_TESTING":
      return `#${refusal.pr} is ${refusal.state}; only a pull request whose tests have started can be restarted.`;
    case "MERGE_ALREADY_ORDERED":
      return `It is too late: GitHub has been asked to merge #${refusal.pr}.`;
    case "ALREADY_QUEUED":
      return `#${refusal.pr} is in the queue, which tests it. To try it by itself, cancel it first.`;
    case "MESSAGE_ALREADY_TESTED":
      return `#${refusal.pr} is being tested with another title or message, so neither was changed. To change them, cancel it and submit it again with the new ones; it will then be tested at the end of the queue.`;
    case "REBASE_KEEPS_MESSAGES":
      return `This queue merges by rebase, which keeps the messages of the commits. Submit #${refusal.pr} without a title and a message.`;
    default:
      return assertNever(refusal);
  }
}
