import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The exact numbers of rows of a SQLite database that a service uses, and its bytes. */
export function readTables(file: string): { rows: ReadonlyMap<string, number>; database: number } {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all();
  const rows = new Map(
    tables.map(({ name }) => [
      String(name),
      Number(database.prepare(`select count(*) as rows from "${String(name)}"`).get()?.rows),
    ]),
  );
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return { rows, database: sizes.reduce((sum, size) => sum + size, 0) };
}
