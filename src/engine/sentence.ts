/** Text of somebody else, which may end with a full stop, as a part of our sentence. */
export function asClause(text: string): string {
  return text.trim().replace(/(?<!\.)\.$/, "");
}

/** Text as a sentence that ends once. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
