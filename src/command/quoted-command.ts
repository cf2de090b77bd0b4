import { verbs } from "./parse-command.ts";

/**
 * Whether a comment without commands has a line that would be one in plain text: the line is in a quotation, a list, code, a
 * heading, HTML, or emphasis. An escaped line is not meant as a command.
 */
export function quotesCommand(body: string, prefix: string): boolean {
  // The bound keeps the search linear.
  const line = new RegExp(
    `(?<![^\\r\\n])[ \\t>*_+\\-#~|\`\\d.)]{0,40}${RegExp.escape(prefix)}[ \\t]+(?:${verbs.join("|")})(?![\\w-])`,
    "i",
  );
  return line.test(body);
}
