import type { RawBuilder } from "kysely";
import type { Migration } from "kysely/migration";

export interface SchemaKind {
  /** Every migration by its file name, in order. Migrations are only added: a released migration must not change. */
  readonly migrations: Readonly<Record<string, Migration>>;
  /** Lists the columns of all tables in the database. */
  readonly listColumns: RawBuilder<ListedColumn>;
  /** The first statements in the transaction of migrations: the lock that lets one process migrate at a time. */
  readonly beginMigration: readonly RawBuilder<unknown>[];
}

export interface ListedColumn {
  readonly table: string;
  readonly column: string;
}
