import { DatabaseSync } from "node:sqlite";
import { withClient } from "../postgres/with-client.ts";
import type { LogRow } from "./check-history.ts";

const query = "select queue_id as queue, seq, content from events order by queue_id, seq";

/** Reads the logs of all queues with SQL, without the service's own code. */
export async function readLog(databaseUrl: string): Promise<readonly LogRow[]> {
  return databaseUrl.startsWith("sqlite:")
    ? readSqlite(databaseUrl.slice("sqlite:".length))
    : readPostgres(databaseUrl);
}

function readSqlite(path: string): readonly LogRow[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(query).all().map(toRow);
  } finally {
    database.close();
  }
}

async function readPostgres(databaseUrl: string): Promise<readonly LogRow[]> {
  const read = await withClient(databaseUrl, (client) => client.query<Record<string, unknown>>(query));
  return read.rows.map(toRow);
}

/** The driver returns 64-bit integers as text. */
const toRow = ({ queue, seq, content }: Record<string, unknown>): LogRow => ({
  queue: String(queue),
  seq: Number(seq),
  content: String(content),
});
