/** The minimum similarity of two names that may belong to one test. */
export const leastSimilarity = 0.7;

/** The similarity of two names, from 0 to 1: by their common words, or by their edit distance. Symmetric. */
export function similarityOf(a: string, b: string): number {
  return similarityOfWords(wordsOf(a), wordsOf(b));
}

/** Like `similarityOf`, for the words of two names. */
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
  // "get user" and "set user" have most letters in common, so the words that differ are also compared alone.
  const [other = ""] = wordsWithout(others, words);
  return Math.max(dice, Math.min(letters, editSimilarity(word, other, leastSimilarity)));
}

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

/** Longer texts are not compared: the time is proportional to the product of their lengths. */
const longestCompared = 80;

/** Two rows of the table of distances. */
const rows = [new Uint8Array(longestCompared + 2), new Uint8Array(longestCompared + 2)] as const;

/** 1 minus the edit distance divided by the length of the longer text. 0 when it is below `least`, or a text is too long. Symmetric. */
export function editSimilarity(a: string, b: string, least: number): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  if (longer.length === 0 || longer.length > longestCompared) return 0;
  const most = Math.floor((1 - least) * longer.length + 1e-9);
  if (longer.length - shorter.length > most) return 0;
  const distance = editDistance(shorter, longer, most);
  return distance > most ? 0 : 1 - distance / longer.length;
}

/**
 * The Levenshtein distance: the number of characters to insert, remove or replace. If it is more than `most`, returns any greater
 * number. Cells that are further than `most` from the diagonal are skipped.
 */
function editDistance(a: string, b: string, most: number): number {
  const tooMany = most + 1;
  let [above, current]: readonly [Uint8Array, Uint8Array] = rows;
  for (let column = 0; column <= b.length; column += 1) above[column] = Math.min(column, tooMany);
  for (let row = 1; row <= a.length; row += 1) {
    const [from, to] = [Math.max(1, row - most), Math.min(b.length, row + most)];
    current[from - 1] = from === 1 ? Math.min(row, tooMany) : tooMany;
    let least = tooMany;
    const letter = a.charCodeAt(row - 1);
    for (let column = from; column <= to; column += 1) {
      let cost = (above[column - 1] as number) + (letter === b.charCodeAt(column - 1) ? 0 : 1);
      const removed = (above[column] as number) + 1;
      const inserted = (current[column - 1] as number) + 1;
      if (removed < cost) cost = removed;
      if (inserted < cost) cost = inserted;
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (to < b.length) current[to + 1] = tooMany;
    if (least > most) return tooMany;
    [above, current] = [current, above];
  }
  return above[b.length] as number;
}
