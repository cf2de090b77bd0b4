/** What the display shows of a pull request. */
export interface Row {
  readonly number: number;
  readonly title: string;
  /** Null = it has not been submitted. */
  readonly state: string | null;
  readonly why: string;
  /** Whether its jobs are re-run because of known flakes. */
  readonly isRetried: boolean;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const colors: Readonly<Record<string, number>> = {
  testing: 34,
  tests_passed: 32,
  merged: 32,
  failed: 31,
  cancelled: 90,
  pending_failure: 33,
  pending: 37,
  not_ready: 90,
};

/** The states by interest: what moves now, what moves next, and what has ended. */
const byInterest = [
  "testing",
  "tests_passed",
  "pending_failure",
  "pending",
  "not_ready",
  "failed",
  "cancelled",
  "merged",
];
const waiting = "not submitted";

/**
 * Lays out the state of a demo for a terminal. The result has fewer lines than the terminal, so that nothing scrolls away: first the
 * `head`, then how many pull requests are in which state, then those that have room, the active ones first. Lines of the
 * head are not cut, because they contain addresses; the others have no more characters than the terminal has columns.
 */
export function layOut(
  head: readonly string[],
  rows: readonly Row[],
  { columns, rows: height }: Size,
): string[] {
  const ofHead = head.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  const counts = countStates(rows).slice(0, columns - 1);
  // The line of the counts, the line below the table, and the line of the cursor.
  const room = Math.max(0, height - ofHead - 3);
  if (rows.length <= room) return [...head, counts, ...rows.map((row) => renderRow(row, columns))];
  const shown = [...rows].sort((a, b) => interestOf(a) - interestOf(b)).slice(0, room);
  const hidden = rows.filter((row) => !shown.includes(row));
  const rest = `      and ${hidden.length} more: ${countStates(hidden)}`.slice(0, columns - 1);
  return [...head, counts, ...shown.map((row) => renderRow(row, columns)), rest];
}

function renderRow({ number, title, state, why }: Row, columns: number): string {
  const name = state ?? "";
  const plain = `${`#${number}`.padStart(5)}  ${title.padEnd(30).slice(0, 30)}  ${name.padEnd(15)}  ${why}`;
  const cut = plain.slice(0, columns - 1).trimEnd();
  return name === "" ? cut : cut.replace(`  ${name}`, `  \x1b[${colors[name] ?? 90}m${name}\x1b[0m`);
}

function interestOf({ state }: Row): number {
  const rank = byInterest.indexOf(state ?? "");
  return state === null ? byInterest.indexOf("not_ready") + 0.5 : rank;
}

/** For example `3 merged, 4 testing, 23 pending`. */
function countStates(rows: readonly Row[]): string {
  const counts = Map.groupBy(rows, ({ state }) => state ?? waiting);
  const names = [...byInterest, waiting].filter((name) => counts.has(name)).reverse();
  return names.map((name) => `${counts.get(name)?.length} ${name}`).join(", ");
}
