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
