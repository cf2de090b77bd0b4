import { editSimilarity } from "./edit-similarity.ts";
import { wordsOf, wordsWithout } from "./name-words.ts";

/** The minimum similarity of two names that may belong to one test. */
export const leastSimilarity = 0.7;

/** The similarity of two names, from 0 to 1: by their common words, or by their edit distance. Symmetric. */
export function similarityOf(a: string, b: string): number {
  return similarityOfWords(wordsOf(a), wordsOf(b));
}

/** The same for the words of two names. */
export function similarityOfWords(words: readonly string[], others: readonly string[]): number {
  const onlyHere = wordsWithout(words, others);
  const common = words.length - onlyHere.length;
  const all = words.length + others.length;
  // The Sørensen–Dice coefficient: twice the common words, divided by all words.
  const dice = all === 0 ? 0 : (2 * common) / all;
  if (dice >= leastSimilarity) return dice;
  const letters = editSimilarity(words.join(" "), others.join(" "), leastSimilarity);
  if (letters <= dice) return dice;
  const [word] = onlyHere;
  if (word === undefined || onlyHere.length !== 1 || others.length - common !== 1) return letters;
  // Most letters of "get user" and "set user" are the same, but not those of the words that differ.
  const [other = ""] = wordsWithout(others, words);
  return Math.max(dice, Math.min(letters, editSimilarity(word, other, leastSimilarity)));
}
