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
 * Parts of a text as sentences, without the first capital letter and the last full stop, so that it fits after a colon, too. No part may
 * begin with a name or with what somebody else has written: it would get a capital letter.
 */
export function inSentences(...parts: readonly string[]): string {
  const [first = "", ...rest] = parts.map(asClause).filter((part) => part !== "");
  return [first, ...rest.map(capitalised)].join(". ");
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
