/**
 * Returns the known name that a wrong one probably means; null when none is similar.
 *
 * @param limit the maximum number of wrong characters. Default: half of them, and at least two
 */
export function nearestName(
  wrong: string,
  known: readonly string[],
  limit = Math.max(2, Math.floor(Math.min(wrong.length, 60) / 2)),
): string | null {
  const word = wrong.slice(0, 60).toLowerCase();
  const ranked = known
    .map((name) => ({ name, distance: editDistance(word, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= limit ? best.name : null;
}

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
