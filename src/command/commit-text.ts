/** GitHub documents no limits; git's own tools show the first line. In characters. */
export const maxCommitTitle = 250;
export const maxCommitMessage = 20_000;

/** A title of one line, without control characters. */
export const plainTitle = /^\P{Cc}*$/u;
/** A message of any number of lines, without control characters but tabs and line breaks. */
export const plainMessage = /^[\P{Cc}\t\r\n]*$/u;

/** What is wrong with a title that somebody gives to a commit, as a sentence; null: nothing. */
export function titleProblem(title: string): string | null {
  return problemOf("title", title, maxCommitTitle, plainTitle);
}

/** What is wrong with a message that somebody gives to a commit, as a sentence; null: nothing. */
export function messageProblem(message: string): string | null {
  return problemOf("message", message, maxCommitMessage, plainMessage);
}

function problemOf(what: string, text: string, longest: number, plain: RegExp): string | null {
  if (text.trim() === "") return `The ${what} of a commit must not be empty.`;
  if (text.length > longest) return `The ${what} of a commit has at most ${longest} characters.`;
  if (!plain.test(text)) return `The ${what} of a commit must not hold control characters.`;
  return text.isWellFormed() ? null : `The ${what} of a commit must be well-formed Unicode.`;
}
