import { nearestName } from "./nearest-name.ts";

/**
 * Describes in one line what is wrong with the arguments of a command, and what to do.
 *
 * @param error the error of `parseArgs`, or one that names the problem itself
 * @param command the words after `trainyard`, such as `token create`
 * @param known the names of the command's options, without dashes
 */
export function renderOptionProblem(error: unknown, command: string, known: readonly string[]): string {
  const help = `"trainyard ${command} --help" lists the options.`;
  const text = error instanceof Error ? error.message : String(error);
  const [, unknown] = /^Unknown option '(-[^']*)'/.exec(text) ?? [];
  if (unknown === undefined) return isOfParseArgs(error) ? `${firstSentence(text)} ${help}` : text;
  const word = unknown.replace(/^-+/, "");
  const lengthChange = (name: string) => Math.abs(name.length - word.length);
  // Of two names that are equally near, swapped letters ("prot") are more likely than other ones.
  const byLength = [...known, "help", "version"].sort((a, b) => lengthChange(a) - lengthChange(b));
  const nearest = nearestName(word, byLength);
  const hint = nearest === null ? "" : ` Did you mean --${nearest}?`;
  return `There is no option ${unknown}.${hint} ${help}`;
}

const isOfParseArgs = (error: unknown): boolean =>
  error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");

/** Errors of `parseArgs` go on with advice for other cases, in several sentences or lines. */
function firstSentence(text: string): string {
  const [line = ""] = text.split("\n");
  const [sentence = line] = line.split(/(?<=\.) (?=[A-Z])/);
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
