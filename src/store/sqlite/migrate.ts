import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import * as initialSchema from "../../../migrations/0001-initial-schema.ts";
import * as entriesBySubmission from "../../../migrations/0002-entries-by-submission.ts";
import * as idempotencyKeys from "../../../migrations/0003-idempotency-keys.ts";
import * as tallies from "../../../migrations/0004-tallies.ts";
import * as testRuns from "../../../migrations/0005-test-runs.ts";
import * as forgetSnapshots from "../../../migrations/0006-forget-snapshots.ts";
import * as auditLog from "../../../migrations/0007-audit-log.ts";
import * as webhooks from "../../../migrations/0008-webhooks.ts";
import * as meters from "../../../migrations/0009-meters.ts";
import * as testResults from "../../../migrations/0010-test-results.ts";
import * as testBundles from "../../../migrations/0011-test-bundles.ts";
import * as readingTests from "../../../migrations/0012-reading-tests.ts";
import * as settingsOfTests from "../../../migrations/0013-settings-of-tests.ts";
import * as issuesOfTests from "../../../migrations/0014-issues-of-tests.ts";
import * as failingHours from "../../../migrations/0015-failing-hours.ts";
import * as unplannedQuarantines from "../../../migrations/0016-unplanned-quarantines.ts";
import * as givenUpDeliveries from "../../../migrations/0017-given-up-deliveries.ts";
import * as sourcesOfTargets from "../../../migrations/0020-sources-of-targets.ts";
import * as dashboardSessions from "../../../migrations/0021-dashboard-sessions.ts";
import * as uncountedUploads from "../../../migrations/0022-uncounted-uploads.ts";
import * as repositoryIds from "../../../migrations/0023-repository-ids.ts";
import * as callLimits from "../../../migrations/0030-call-limits.ts";
import * as linesOfTests from "../../../migrations/0031-lines-of-tests.ts";
import * as newTests from "../../../migrations/0032-new-tests.ts";
import * as workflowsOfUploads from "../../../migrations/0033-workflows-of-uploads.ts";
import * as idsOfTests from "../../../migrations/0034-ids-of-tests.ts";
import * as greenUploadsByLine from "../../../migrations/0035-green-uploads-by-line.ts";
import * as renamedTests from "../../../migrations/0036-renamed-tests.ts";
import * as namesOfTargets from "../../../migrations/0040-names-of-targets.ts";
import * as suitesOfTests from "../../../migrations/0041-suites-of-tests.ts";
import * as lateResults from "../../../migrations/0042-late-results.ts";
import type { Database } from "./schema.ts";

/** Every migration by its file name. Migrations are only added: a released migration must not change. */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001-initial-schema": initialSchema,
  "0002-entries-by-submission": entriesBySubmission,
  "0003-idempotency-keys": idempotencyKeys,
  "0004-tallies": tallies,
  "0005-test-runs": testRuns,
  "0006-forget-snapshots": forgetSnapshots,
  "0007-audit-log": auditLog,
  "0008-webhooks": webhooks,
  "0009-meters": meters,
  "0010-test-results": testResults,
  "0011-test-bundles": testBundles,
  "0012-reading-tests": readingTests,
  "0013-settings-of-tests": settingsOfTests,
  "0014-issues-of-tests": issuesOfTests,
  "0015-failing-hours": failingHours,
  "0016-unplanned-quarantines": unplannedQuarantines,
  "0017-given-up-deliveries": givenUpDeliveries,
  "0020-sources-of-targets": sourcesOfTargets,
  "0021-dashboard-sessions": dashboardSessions,
  "0022-uncounted-uploads": uncountedUploads,
  "0023-repository-ids": repositoryIds,
  "0030-call-limits": callLimits,
  "0031-lines-of-tests": linesOfTests,
  "0032-new-tests": newTests,
  "0033-workflows-of-uploads": workflowsOfUploads,
  "0034-ids-of-tests": idsOfTests,
  "0035-green-uploads-by-line": greenUploadsByLine,
  "0036-renamed-tests": renamedTests,
  "0040-names-of-targets": namesOfTargets,
  "0041-suites-of-tests": suitesOfTests,
  "0042-late-results": lateResults,
};

/**
 * Brings the schema up to date, once, even if several processes start at the same time. Returns the applied
 * migrations; empty when there was nothing to do.
 *
 * @throws Error when a newer version has used the database, or a migration failed; then nothing has changed.
 */
export async function migrate(db: Database): Promise<readonly string[]> {
  const unknown = (await appliedMigrations(db)).filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new Error(
      `the database was used by a newer version of Trainyard: it has ${unknown.join(", ")}, which this version does not know; ` +
        "run the newer version, or restore a backup from before the upgrade",
    );
  }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

async function appliedMigrations(db: Database): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}
