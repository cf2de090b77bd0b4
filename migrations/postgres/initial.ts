export const appendOnlyAuditLog: readonly string[] = [
  `create function refuse_update() returns trigger language plpgsql
    as $$ begin raise exception 'the audit log is append-only'; end $$`,
  `create trigger audit_log_is_append_only before update on audit_log
    for each row execute function refuse_update()`,
];

/**
 * Tables whose rows change several times and are deleted soon. Room in each page lets an update stay in its page, and the frequent
 * vacuum keeps the indexes of claimable rows small.
 */
const short = ["outbox", "inbox", "webhook_deliveries", "test_issues", "idempotency_keys"];
/** Tables whose rows change often and stay. */
const busy = [
  "cursors",
  "meters",
  "call_limits",
  "publications",
  "entries",
  "test_runs",
  "tallies",
  "test_numbers",
];

const vacuumed = "autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500";

export const hotTables: readonly string[] = [
  ...short.map((table) => `alter table ${table} set (fillfactor = 70, ${vacuumed})`),
  ...busy.map((table) => `alter table ${table} set (fillfactor = 80, ${vacuumed})`),
];
