import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { ExpectedTable } from "../schema/expected-tables.ts";
import { readPages, type StoredValue } from "./row-pages.ts";

/** Describes a table's content; equal for equal rows in both kinds of databases. */
export interface TableDigest {
  readonly rows: number;
  readonly sha256: string;
}

export async function digestTable(db: Kysely<unknown>, table: ExpectedTable): Promise<TableDigest> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const page of readPages(db, table)) {
    rows += page.length;
    for (const row of page)
      hash.update(`${JSON.stringify(table.columns.map((name) => plain(row[name] ?? null)))}\n`);
  }
  return { rows, sha256: hash.digest("hex") };
}

/** PostgreSQL cannot store the character 0 (ADR 94). */
function plain(value: StoredValue): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
  return typeof value === "string" ? value.replaceAll("\0", "\u{fffd}") : value;
}
