import { expect, test } from "@jest/globals";
import type { EventData } from "../../src/engine/model/event.ts";
import { postgresSchema } from "../../src/store/postgres/postgres-schema.ts";
import { sqliteSchema } from "../../src/store/sqlite/sqlite-schema.ts";

/**
 * The migration with which each kind of event came. A kind that comes after a release gets a migration in both stores, even if that changes
 * no table: an earlier version cannot read the log any more, and has to say so.
 */
const migrationOf: Record<EventData["type"], string> = {
  base_moved: "0001-initial-schema",
  base_test_built: "0001-initial-schema",
  base_test_checked: "0001-initial-schema",
  base_test_ended: "0001-initial-schema",
  base_test_started: "0001-initial-schema",
  base_test_wanted: "0001-initial-schema",
  bisection_ended: "0001-initial-schema",
  bisection_narrowed: "0001-initial-schema",
  bisection_started: "0001-initial-schema",
  block_dissolved: "0001-initial-schema",
  block_failed: "0001-initial-schema",
  block_formed: "0001-initial-schema",
  direct_merge_considered: "0001-initial-schema",
  direct_merge_declined: "0001-initial-schema",
  entries_considered: "0001-initial-schema",
  entries_isolated: "0001-initial-schema",
  entry_admitted: "0001-initial-schema",
  entry_aged: "0001-initial-schema",
  entry_certified: "0001-initial-schema",
  entry_delayed: "0001-initial-schema",
  entry_due: "0001-initial-schema",
  entry_held: "0001-initial-schema",
  entry_incriminated: "0001-initial-schema",
  entry_moved: "0001-initial-schema",
  entry_observed: "0001-initial-schema",
  entry_released: "0001-initial-schema",
  entry_revised: "0001-initial-schema",
  entry_suspected: "0001-initial-schema",
  entry_targeted: "0001-initial-schema",
  entry_widened: "0001-initial-schema",
  evidence_dropped: "0001-initial-schema",
  failure_doubted: "0001-initial-schema",
  freeze_changed: "0001-initial-schema",
  merge_called: "0001-initial-schema",
  merge_ended: "0001-initial-schema",
  merge_not_done: "0001-initial-schema",
  merge_recalled: "0001-initial-schema",
  merge_requested: "0001-initial-schema",
  merge_started: "0001-initial-schema",
  queue_configured: "0001-initial-schema",
  queue_created: "0001-initial-schema",
  queue_deleted: "0001-initial-schema",
  queue_moved: "0001-initial-schema",
  queue_status_changed: "0001-initial-schema",
  run_built: "0001-initial-schema",
  run_checked: "0001-initial-schema",
  run_concluded: "0001-initial-schema",
  run_discarded: "0001-initial-schema",
  run_forgiven: "0001-initial-schema",
  run_missing_checks: "0001-initial-schema",
  run_requirements_changed: "0001-initial-schema",
  run_retried: "0001-initial-schema",
  run_retry_refused: "0001-initial-schema",
  run_started: "0001-initial-schema",
  stall_changed: "0001-initial-schema",
  strategy_chosen: "0001-initial-schema",
  try_asked: "0001-initial-schema",
  try_built: "0001-initial-schema",
  try_ended: "0001-initial-schema",
  try_put_back: "0001-initial-schema",
  try_started: "0001-initial-schema",
  work_postponed: "0001-initial-schema",
  work_resumed: "0001-initial-schema",
};

test.each([
  ["SQLite", sqliteSchema],
  ["PostgreSQL", postgresSchema],
])(
  "each kind of event came with a migration of %s, so that earlier versions refuse the database",
  (_store, schema) => {
    const migrations = Object.keys(schema.migrations);
    expect(Object.entries(migrationOf).filter(([, name]) => !migrations.includes(name))).toEqual([]);
  },
);
