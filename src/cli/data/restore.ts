import { existsSync, rmSync } from "node:fs";
import type { Command } from "commander";
import { QueueSnapshots } from "../../service/runtime/queue-snapshots.ts";
import { copyFile } from "../../store/backup/copy-file.ts";
import { restoreBackup } from "../../store/backup/restore-backup.ts";
import { applyMigrations } from "../../store/schema/apply-migrations.ts";
import { openSchema } from "../../store/schema/open-schema.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { openStore } from "../../store/sqlite/open-store.ts";
import { createLog } from "../log.ts";
import { printCounts, reportFailure, requireDatabaseUrl, whileAlone } from "./on-database.ts";

/** Adds the argument of `trainyard restore`, and what it does. */
export function defineRestore(command: Command): void {
  command
    .argument("<file>", 'a backup of "trainyard backup"')
    .option("--check", "only try it: migrate a copy beside the file, open its queues, and remove it")
    .addHelpText(
      "after",
      `
Verifies the backup, and replaces the SQLite database in DATABASE_URL with it. Stop the service first. The previous database stays
beside the new one, as PATH.replaced-TIME.

With --check, nothing changes. It shows before an upgrade whether the new version can use the data. The file may also be the database
itself, while the service runs.

For PostgreSQL, use pg_restore or the backups of your provider.`,
    )
    .action(async (file: string, { check }: { readonly check?: true }) => {
      process.exitCode = check ? await checkBackup(file) : await restore(file);
    });
}

/** Migrates and opens a copy of the backup, as a start of this version would do with the restored database. */
async function checkBackup(file: string): Promise<number> {
  const copy = `${file}.check-${process.pid}`;
  try {
    if (!existsSync(file)) throw new Error(`There is no file ${file}`);
    printCounts(await copyFile(file, copy));
    const { db, kind } = await openSchema(`sqlite:${copy}`, "write");
    try {
      for (const migration of await applyMigrations(db, kind)) console.log(`migrated  ${migration}`);
    } finally {
      await db.destroy();
    }
    await openQueues(`sqlite:${copy}`);
    console.log(`This version can use ${file}. Nothing was changed.`);
    return 0;
  } catch (error) {
    return reportFailure(error);
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${copy}${end}`, { force: true });
  }
}

async function openQueues(databaseUrl: string): Promise<void> {
  const store = await openStore(databaseUrl);
  try {
    const snapshots = new QueueSnapshots(store.queues, createLog({ logLevel: "warn", logFormat: "json" }));
    for (const { id, repo, branch } of await store.queues.list()) {
      const name = `${repo.owner}/${repo.name}@${branch}`;
      const { seq, entries } = await snapshots.load(id).catch((cause: Error) => {
        throw new Error(`The queue ${name} cannot be opened: ${cause.message}`, { cause });
      });
      console.log(`${name}: ${seq} events, ${entries.size} pull requests in the queue`);
    }
  } finally {
    await store.close();
  }
}

async function restore(file: string): Promise<number> {
  try {
    const databaseUrl = requireDatabaseUrl();
    const location = parseDatabaseUrl(databaseUrl);
    if (location.kind === "postgres")
      throw new Error('This database is PostgreSQL: run pg_restore --clean --dbname="$DATABASE_URL" FILE');
    if (location.kind !== "sqlite") throw new Error("DATABASE_URL names no SQLite database");
    if (!existsSync(file)) throw new Error(`There is no file ${file}`);
    const { path } = location;
    const { counts, replaced } = await whileAlone(databaseUrl, () => restoreBackup(file, path, new Date()));
    printCounts(counts);
    if (replaced !== null) console.log(`The previous database is ${replaced}.`);
    console.log(`The database ${path} is the backup ${file} now.`);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}
