/**
 * The words of a test's name in lower case, split at spaces, punctuation, camel case and digits. A contraction such as "isn't"
 * gives "is" and "not".
 */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/n['’]t(?!\p{L})/giu, " not")
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{L})(\p{N})/gu, "$1 $2")
    .replace(/(\p{N})(\p{L})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The words of a list that the other list lacks, or has less often. */
export function wordsWithout(words: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left[at] = "";
    return at === -1;
  });
}
