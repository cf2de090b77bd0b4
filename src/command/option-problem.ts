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

/** Returns the known name that a wrong one probably means; null when none is near. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  const word = wrong.slice(0, 60).toLowerCase();
  const limit = Math.max(2, Math.floor(word.length / 2));
  const ranked = known
    .map((name) => ({ name, distance: editDistance(word, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= limit ? best.name : null;
}

/** Returns how many characters have to be inserted, removed or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
