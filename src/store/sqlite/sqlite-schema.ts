import { sql } from "kysely";
import * as initialSchema from "../../../migrations/sqlite/0001-initial-schema.ts";
import * as lastCommands from "../../../migrations/sqlite/0002-last-commands.ts";
import * as commentMarks from "../../../migrations/sqlite/0003-comment-marks.ts";
import * as webhookFormats from "../../../migrations/sqlite/0004-webhook-formats.ts";
import * as sessionsOfPeople from "../../../migrations/sqlite/0005-sessions-of-people.ts";
import * as entryEvents from "../../../migrations/sqlite/0006-entry-events.ts";
import * as entrySearch from "../../../migrations/sqlite/0007-entry-search.ts";
import * as queueHealth from "../../../migrations/sqlite/0008-queue-health.ts";
import * as lookUps from "../../../migrations/sqlite/0009-look-ups.ts";
import * as pastStates from "../../../migrations/sqlite/0010-past-states.ts";
import * as timeOfTests from "../../../migrations/sqlite/0011-time-of-tests.ts";
import * as talliesOfCommits from "../../../migrations/sqlite/0012-tallies-of-commits.ts";
import * as devicesOfSessions from "../../../migrations/sqlite/0013-devices-of-sessions.ts";
import * as queueStops from "../../../migrations/sqlite/0014-queue-stops.ts";
import * as alarmsOfQueues from "../../../migrations/sqlite/0015-alarms-of-queues.ts";
import type { ListedColumn, SchemaKind } from "../schema/schema-kind.ts";

export const sqliteSchema: SchemaKind = {
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
  listColumns: sql<ListedColumn>`
    select m.name as "table", c.name as "column"
    from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table'`,
  // Transactions begin with a lock.
  beginMigration: [],
};
