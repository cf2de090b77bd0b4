import { existsSync, rmSync } from "node:fs";
import type { Command } from "commander";
import { QueueSnapshots } from "../../service/runtime/queue-snapshots.ts";
import { copyFile } from "../../store/backup/copy-file.ts";
import { restoreBackup } from "../../store/backup/restore-backup.ts";
import { DatabaseProblem } from "../../store/schema/database-problem.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { openStore } from "../../store/sqlite/open-store.ts";
import { createLog } from "../log.ts";
import { nameDatabase, requireDatabaseUrl } from "../named-database.ts";
import type { printerOf } from "../print-json.ts";
import { applyPending, onDatabase, renderCounts, whileAlone } from "./on-database.ts";

/** Adds the argument of `trainyard restore`, and what it does. */
export function defineRestore(command: Command): void {
  command
    .argument("<file>", 'a backup of "trainyard backup"')
    .option("--check", "only try it: migrate a copy beside the file, open its queues, and remove it")
    .option("--json", "print what was restored, or found, as JSON")
    .addHelpText(
      "after",
      `
Verifies the backup, and replaces the SQLite database in DATABASE_URL with it. Stop the service first. The previous database stays
beside the new one, as PATH.replaced-TIME.

With --check, nothing changes. It shows before an upgrade whether the new version can use the data. The file may also be the database
itself, while the service runs.

For PostgreSQL, use pg_restore or the backups of your provider.`,
    )
    .action((file: string, options: { readonly check?: true; readonly json?: true }) =>
      onDatabase(options, async (print) => {
        await (options.check ? checkBackup(file, print) : restore(file, print));
        return 0;
      }),
    );
}

type Print = ReturnType<typeof printerOf>;

/** Migrates and opens a copy of the backup, as a start of this version would do with the restored database. */
async function checkBackup(file: string, print: Print): Promise<void> {
  const copy = `${file}.check-${process.pid}`;
  try {
    requireFile(file);
    const counts = await copyFile(file, copy);
    const migrations = await applyPending(`sqlite:${copy}`);
    const queues = await openQueues(`sqlite:${copy}`);
    print({ file, rows: Object.fromEntries(counts), migrations, queues }, () => [
      ...renderCounts(counts),
      ...migrations.map((migration) => `migrated  ${migration}`),
      ...queues.map(
        ({ queue, events, pullRequests }) =>
          `${queue}: ${events} events, ${pullRequests} pull requests in the queue`,
      ),
      `This version can use ${file}. Nothing was changed.`,
    ]);
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${copy}${end}`, { force: true });
  }
}

function requireFile(file: string): void {
  if (!existsSync(file)) throw new DatabaseProblem("BACKUP_MISSING", `There is no file ${file}`);
}

async function openQueues(databaseUrl: string) {
  const store = await openStore(databaseUrl);
  try {
    const snapshots = new QueueSnapshots(store.queues, createLog({ logLevel: "warn", logFormat: "json" }));
    const opened = [];
    for (const { id, repo, branch } of await store.queues.list()) {
      const queue = `${repo.owner}/${repo.name}@${branch}`;
      const { seq, entries } = await snapshots.load(id).catch((cause: Error) => {
        const text = `The queue ${queue} cannot be opened: ${cause.message}`;
        throw new DatabaseProblem("DATABASE_DAMAGED", text, { cause });
      });
      opened.push({ queue, events: seq, pullRequests: entries.size });
    }
    return opened;
  } finally {
    await store.close();
  }
}

async function restore(file: string, print: Print): Promise<void> {
  const databaseUrl = requireDatabaseUrl();
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === "postgres")
    throw new DatabaseProblem(
      "DATABASE_KIND_NOT_SUPPORTED",
      'This database is PostgreSQL: run pg_restore --clean --dbname="$DATABASE_URL" FILE',
    );
  if (location.kind !== "sqlite")
    throw new DatabaseProblem("DATABASE_MISSING", "DATABASE_URL names no SQLite database");
  requireFile(file);
  const { path } = location;
  const { counts, replaced } = await whileAlone(databaseUrl, () => restoreBackup(file, path, new Date()));
  print({ file, database: nameDatabase(databaseUrl), replaced, rows: Object.fromEntries(counts) }, () => [
    ...renderCounts(counts),
    ...(replaced === null ? [] : [`The previous database is ${replaced}.`]),
    `The database ${path} is the backup ${file} now.`,
  ]);
}
