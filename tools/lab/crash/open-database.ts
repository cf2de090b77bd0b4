import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalPostgres } from "../postgres/local-postgres.ts";

export const databases = ["sqlite", "postgres"] as const;

export type DatabaseKind = (typeof databases)[number];

export interface OpenedDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Opens an empty database: a SQLite file in the directory, or a PostgreSQL server of our own. */
export async function openDatabase(kind: DatabaseKind, directory: string): Promise<OpenedDatabase> {
  if (kind === "sqlite")
    return { url: `sqlite:${join(directory, "trainyard.db")}`, async [Symbol.asyncDispose]() {} };
  await using resources = new AsyncDisposableStack();
  const place = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-postgres-")));
  const server = await LocalPostgres.create(place.path);
  resources.defer(() => server.stop());
  const kept = resources.move();
  return { url: `${server.url}/postgres`, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
