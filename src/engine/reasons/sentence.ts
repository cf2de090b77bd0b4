const namedAtOnce = 3;
const longestName = 80;

/** Lists the first few test names. The author of a test chooses its name, so characters that could act as markup are removed. */
export function namesOf(tests: readonly string[]): string {
  const more = tests.length - namedAtOnce;
  const names = tests.slice(0, namedAtOnce).map((name) =>
    name
      .replaceAll(/[^\p{L}\p{N} .,:;/#'()=+-]+/gu, " ")
      .trim()
      .slice(0, longestName),
  );
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Text that others wrote, without its final full stop, for use within our sentence. */
export function asClause(text: string): string {
  return text.trim().replace(/(?<!\.)\.$/, "");
}

/** A number with its noun, such as `1 minute` and `2 minutes`. */
export function counted(count: number, noun: string, several = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : several}`;
}

/** The text as a sentence. A full stop is added unless the text ends with a punctuation mark. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/**
 * Joins parts as sentences. The first capital letter and the last full stop are left out, so that the text can follow a colon. Only the
 * first part may begin with a name or with text that others wrote, because all other parts are capitalised.
 */
export function inSentences(...parts: readonly string[]): string {
  const [first = "", ...rest] = parts.map(asClause).filter((part) => part !== "");
  return [first, ...rest.map(capitalised)].join(". ");
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function numbers(prs: readonly number[]): string[] {
  return prs.map((pr) => `#${pr}`);
}

const mostListed = 3;

/** The numbers of pull requests as a list for a sentence. Long lists are shortened. */
export function listed(prs: readonly number[]): string {
  const shown = numbers(prs.slice(0, mostListed));
  if (prs.length > mostListed) return `${shown.join(", ")} and ${prs.length - mostListed} more`;
  return [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter((part) => part !== "").join(" and ");
}

/** @param at in milliseconds since the epoch */
export function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}
