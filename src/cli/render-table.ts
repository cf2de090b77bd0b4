import { widthOf } from "./wrap-text.ts";

/** Renders rows as lines with aligned columns. The last column is cut at the width of the terminal. */
export function renderTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const total = widthOf(process.stdout, Number.POSITIVE_INFINITY);
  return rows.map((row) => {
    const line = row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd();
    return line.length > total ? `${line.slice(0, total - 1)}…` : line;
  });
}
