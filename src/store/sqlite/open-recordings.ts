import { existsSync } from "node:fs";
import { sql } from "kysely";
import type { Event } from "../../engine/model/event.ts";
import { eventsAfter, seqSince } from "../queue/event-log.ts";
import { listQueues } from "../queue/queue-directory.ts";
import type { QueueRecord } from "../queue/queue-store.ts";
import { DatabaseProblem } from "../schema/database-problem.ts";
import { connectSqlite } from "./connect-sqlite.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import type { Database, Schema } from "./schema.ts";

/**
 * Read access to the logs of queues. Nothing is written, not even a schema, because a service may be running
 * on the database.
 */
export interface Recordings {
  /** Every queue that is not deleted, oldest first. */
  queues(): Promise<readonly QueueRecord[]>;
  /** All events of a queue, in order. */
  events(queueId: string): Promise<readonly Event[]>;
  /** The events of a queue since a time, in milliseconds since the epoch; null = there are more than `limit`. */
  eventsSince(queueId: string, since: number, limit: number): Promise<readonly Event[] | null>;
  close(): Promise<void>;
}

/**
 * Opens a database to read the events of its queues.
 *
 * @throws DatabaseProblem when there is no database at the address, or it contains no queues; its message says what to
 * do.
 */
export async function openRecordings(databaseUrl: string): Promise<Recordings> {
  const { db, name } = await connect(databaseUrl);
  try {
    await sql`select seq from events limit 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw new DatabaseProblem(
      "DATABASE_MISSING",
      `${name} is not a database of Trainyard, or cannot be read: ${(error as Error).message}`,
      { cause: error },
    );
  }
  return {
    queues: () => listQueues(db),
    events: (queueId) => eventsAfter(db, queueId, 0),
    async eventsSince(queueId, since, limit) {
      const events = await eventsAfter(db, queueId, (await seqSince(db, queueId, since)) - 1, limit + 1);
      return events.length > limit ? null : events;
    },
    close: () => db.destroy(),
  };
}

async function connect(databaseUrl: string): Promise<{ readonly db: Database; readonly name: string }> {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === "postgres") {
    const { connectPostgres } = await import("../postgres/connect-postgres.ts");
    return { db: connectPostgres(databaseUrl), name: "the PostgreSQL database of DATABASE_URL" };
  }
  if (location.kind !== "sqlite")
    throw new DatabaseProblem(
      "DATABASE_KIND_NOT_SUPPORTED",
      "only SQLite and PostgreSQL databases can be read, as in sqlite:trainyard.db",
    );
  const { path } = location;
  if (!existsSync(path)) {
    throw new DatabaseProblem(
      "DATABASE_MISSING",
      `there is no database at ${path}; set DATABASE_URL to the one that the service uses`,
    );
  }
  return { db: connectSqlite<Schema>(path, true), name: path };
}
