import { verbs } from "./parse-command.ts";

/**
 * Whether a comment without commands has a line that would be one in plain text: the line is in a list, code, a heading, HTML,
 * or emphasis. An escaped line is not meant as a command, and neither is a quotation of somebody else's.
 */
export function misplacesCommand(body: string, prefix: string): boolean {
  // The bound keeps the search linear.
  const line = new RegExp(
    `(?<![^\\r\\n])(?![ \\t]*>)[ \\t*_+\\-#~|\`\\d.)]{0,40}${RegExp.escape(prefix)}[ \\t]+(?:${verbs.join("|")})(?![\\w-])`,
    "i",
  );
  return line.test(body);
}
