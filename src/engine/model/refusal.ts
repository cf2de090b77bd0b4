import { assertNever } from "../assert-never.ts";
import { type PartOfStack, renderPartOfStack } from "../reasons/objection.ts";
import { type EntryState, isTerminal } from "./entry.ts";

/** Why a command was refused. A refused command changes nothing. */
export type Refusal =
  | { readonly code: "QUEUE_EXISTS"; readonly branch: string }
  | { readonly code: "QUEUE_NOT_FOUND"; readonly branch: string }
  | { readonly code: "QUEUE_NOT_EMPTY"; readonly prs: readonly number[] }
  | { readonly code: "SWITCHING_MODES" }
  | {
      readonly code: "PR_NOT_OPEN";
      readonly pr: number;
      readonly state: "closed" | "merged";
      /** Its branch, which was deleted; absent = it was not, or that is not known. */
      readonly branch?: string;
    }
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

/** Where a text says what to comment, it uses the default prefix of commands. The bot replaces it with its own. */
export const commandPrefix = "/trainyard";

/** The command that names a head. Only the whole SHA identifies a commit. */
export const naming = (head: string): string => `\`${commandPrefix} merge ${head}\``;

/** The refusal as a sentence that says what to do. */
export function renderRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case "QUEUE_EXISTS":
      return `A queue for branch "${refusal.branch}" already exists. Change it with \`trainyard queue set\`, or updateQueue.`;
    case "QUEUE_NOT_FOUND":
      return `There is no queue for branch "${refusal.branch}". Create it with \`trainyard queue create\`, or createQueue.`;
    case "QUEUE_NOT_EMPTY":
      return `The queue still contains ${refusal.prs.map((pr) => `#${pr}`).join(", ")}; cancel or merge them first.`;
    case "SWITCHING_MODES":
      return "The queue is switching modes. Until this is finished, you can only pause, drain or resume it. Change its settings afterwards.";
    case "PR_NOT_OPEN":
      return `#${refusal.pr} is ${refusal.state}; only an open pull request can be queued. ${afterClose(refusal)}`;
    case "HEAD_MISMATCH":
      return `The head of #${refusal.pr} is not \`${refusal.expected}\`. Review what was pushed, then name the present head (in a comment: ${naming(refusal.actual)}).`;
    case "FORK_NEEDS_SHA":
      return `#${refusal.pr} comes from a fork, whose code would run with this repository's secrets. Review its head, then name it with all digits in a comment: ${naming(refusal.head)}.`;
    case "HEAD_NOT_PROVEN":
      return `It is not certain that the command was about the present head of #${refusal.pr}. Review it, then name it with all digits in a comment: ${naming(refusal.head)}.`;
    case "PART_OF_STACK":
      return `#${refusal.pr} cannot be queued: ${renderPartOfStack(refusal)}.`;
    case "COMMANDS_DISABLED":
      return `Commands in comments are switched off for this queue${refusal.by ? ` by ${refusal.by}` : ""} (\`commandsEnabled\`); use the label or the API.`;
    case "NOT_QUEUED":
      return `#${refusal.pr} is not in the queue. Submit it first.`;
    case "NOT_TESTING":
      return notTestingText(refusal);
    case "MERGE_ALREADY_ORDERED":
      return `It is too late: GitHub has been asked to merge #${refusal.pr}. To undo the merge, revert it on GitHub.`;
    case "ALREADY_QUEUED":
      return `#${refusal.pr} is in the queue, which already tests it. To test it without queueing it, cancel it first.`;
    case "MESSAGE_ALREADY_TESTED":
      return `#${refusal.pr} is being tested with another title or message, so neither was changed. To change them, cancel it and submit it again with the new ones; it will then be tested at the end of the queue.`;
    case "REBASE_KEEPS_MESSAGES":
      return `This queue merges by rebase, which keeps the messages of the commits. Submit #${refusal.pr} without a title and a message.`;
    default:
      return assertNever(refusal);
  }
}

function afterClose({ pr, state, branch }: Extract<Refusal, { code: "PR_NOT_OPEN" }>): string {
  if (state === "merged") return "For another change, open a new pull request.";
  if (branch === undefined) return "Reopen it first.";
  return `Its branch ${branch} was deleted: restore it with the button on #${pr}, then reopen #${pr}.`;
}

function notTestingText({ pr, state }: Extract<Refusal, { code: "NOT_TESTING" }>): string {
  if (state === "merged")
    return `#${pr} has merged: there is nothing to test again. For another change, open a new pull request.`;
  if (isTerminal(state))
    return `#${pr} has left the queue: to test it again, comment \`${commandPrefix} merge\`.`;
  return `The tests of #${pr} have not started, so there is nothing to restart: they start by themselves. \`${commandPrefix} status\` says what it waits for.`;
}
