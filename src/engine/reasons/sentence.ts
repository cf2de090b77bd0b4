/** Text of somebody else, which may end with a full stop, as a part of our sentence. */
export function asClause(text: string): string {
  return text.trim().replace(/(?<!\.)\.$/, "");
}

/** Text as a sentence that ends once. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/**
 * Joins parts as sentences. The first capital letter and the last full stop are left out, so that the text can follow a colon. No part but
 * the first may begin with a name or with foreign text, because it gets a capital letter.
 */
export function inSentences(...parts: readonly string[]): string {
  const [first = "", ...rest] = parts.map(asClause).filter((part) => part !== "");
  return [first, ...rest.map(capitalised)].join(". ");
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
