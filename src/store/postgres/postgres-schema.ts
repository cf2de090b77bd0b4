import { sql } from "kysely";
import * as initialSchema from "../../../migrations/postgres/0001-initial-schema.ts";
import * as lastCommands from "../../../migrations/postgres/0002-last-commands.ts";
import * as commentMarks from "../../../migrations/postgres/0003-comment-marks.ts";
import * as webhookFormats from "../../../migrations/postgres/0004-webhook-formats.ts";
import * as sessionsOfPeople from "../../../migrations/postgres/0005-sessions-of-people.ts";
import * as entryEvents from "../../../migrations/postgres/0006-entry-events.ts";
import * as entrySearch from "../../../migrations/postgres/0007-entry-search.ts";
import * as queueHealth from "../../../migrations/postgres/0008-queue-health.ts";
import * as lookUps from "../../../migrations/postgres/0009-look-ups.ts";
import * as pastStates from "../../../migrations/postgres/0010-past-states.ts";
import * as timeOfTests from "../../../migrations/postgres/0011-time-of-tests.ts";
import * as talliesOfCommits from "../../../migrations/postgres/0012-tallies-of-commits.ts";
import * as devicesOfSessions from "../../../migrations/postgres/0013-devices-of-sessions.ts";
import * as queueStops from "../../../migrations/postgres/0014-queue-stops.ts";
import * as alarmsOfQueues from "../../../migrations/postgres/0015-alarms-of-queues.ts";
import type { ListedColumn, SchemaKind } from "../schema/schema-kind.ts";
import { advisoryLocks } from "./advisory-locks.ts";

const [ours, migration] = advisoryLocks.migration;
const [, writer] = advisoryLocks.writer;

export const postgresSchema: SchemaKind = {
  migrations: {
    "0001-initial-schema": initialSchema,
    "0002-last-commands": lastCommands,
    "0003-comment-marks": commentMarks,
    "0004-webhook-formats": webhookFormats,
    "0005-sessions-of-people": sessionsOfPeople,
    "0006-entry-events": entryEvents,
    "0007-entry-search": entrySearch,
    "0008-queue-health": queueHealth,
    "0009-look-ups": lookUps,
    "0010-past-states": pastStates,
    "0011-time-of-tests": timeOfTests,
    "0012-tallies-of-commits": talliesOfCommits,
    "0013-devices-of-sessions": devicesOfSessions,
    "0014-queue-stops": queueStops,
    "0015-alarms-of-queues": alarmsOfQueues,
  },
  // Kysely's list of all tables takes as long as some hundred other statements.
  listColumns: sql<ListedColumn>`
    select t.relname as "table", c.attname as "column"
    from pg_class t join pg_attribute c on c.attrelid = t.oid
    where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace
      and c.attnum > 0 and not c.attisdropped`,
  beginMigration: [
    // Migrations of large tables take longer than other statements, and so does waiting for them.
    sql`set local statement_timeout = 0`,
    sql`set local idle_in_transaction_session_timeout = 0`,
    sql`select pg_advisory_xact_lock(${sql.lit(ours)}, ${sql.lit(migration)})`,
    // Services of the previous version wait, and then see that the schema is newer.
    sql`select pg_advisory_xact_lock(${sql.lit(ours)}, ${sql.lit(writer)})`,
  ],
};
