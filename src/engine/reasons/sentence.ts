/** Text that others wrote, without its final full stop, for use within our sentence. */
export function asClause(text: string): string {
  return text.trim().replace(/(?<!\.)\.$/, "");
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
