import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const marker = "this page will be damaged";

/** Overwrites pages of a database that no process uses. They belong to a table that nothing asks for. */
export function damagePages(path: string, pages: number): void {
  const database = new DatabaseSync(path);
  database.exec("create table filler (content text)");
  const insert = database.prepare("insert into filler values (?)");
  for (let row = 0; row < 2 * pages; row += 1) insert.run(marker + "x".repeat(3_000));
  const { page_size: size } = database.prepare("pragma page_size").get() as { page_size: number };
  database.close();
  const content = readFileSync(path);
  const damaged = new Set<number>();
  for (
    let at = content.indexOf(marker);
    at >= 0 && damaged.size < pages;
    at = content.indexOf(marker, at + 1)
  ) {
    const start = at - (at % size);
    if (!damaged.has(start)) content.fill(0xff, start, start + 100);
    damaged.add(start);
  }
  writeFileSync(path, content);
}
