/** Maximum lengths in characters. GitHub documents no limits, and git's own tools show the first line. */
export const maxCommitTitle = 250;
export const maxCommitMessage = 20_000;

/** A title of one line, without control characters. */
export const plainTitle = /^\P{Cc}*$/u;
/** A message of any number of lines, without control characters except tabs and line breaks. */
export const plainMessage = /^[\P{Cc}\t\r\n]*$/u;

/** Describes the fault of a commit's title in a sentence; null when the title is valid. */
export function titleProblem(title: string): string | null {
  return problemOf("title", title, maxCommitTitle, plainTitle);
}

/** Describes the fault of a commit's message in a sentence; null when the message is valid. */
export function messageProblem(message: string): string | null {
  return problemOf("message", message, maxCommitMessage, plainMessage);
}

function problemOf(what: string, text: string, longest: number, plain: RegExp): string | null {
  if (text.trim() === "") return `The ${what} of a commit must not be empty.`;
  if (text.length > longest) return `The ${what} of a commit has at most ${longest} characters.`;
  if (!plain.test(text)) return `The ${what} of a commit must not contain control characters.`;
  return text.isWellFormed() ? null : `The ${what} of a commit must be well-formed Unicode.`;
}
