import type { RowCounts } from "../../store/backup/examine-file.ts";

export function printCounts(counts: RowCounts): void {
  for (const [table, rows] of counts) if (rows > 0) console.log(`${table}: ${rows} rows`);
}
