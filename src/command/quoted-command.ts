import { verbs } from "./parse-command.ts";

/**
 * Whether a line of a comment without commands would be one if it were plain text: it stands in a quotation, a list, code,
 * a heading, HTML, or emphasis. What is escaped is not meant to be one.
 */
export function quotesCommand(body: string, prefix: string): boolean {
  // The bound keeps the search linear.
  const line = new RegExp(
    `(?<![^\\r\\n])[ \\t>*_+\\-#~|\`\\d.)]{0,40}${RegExp.escape(prefix)}[ \\t]+(?:${verbs.join("|")})(?![\\w-])`,
    "i",
  );
  return line.test(body);
}
