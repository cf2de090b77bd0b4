import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { type CopyListener, copyDatabase } from "../../store/copy/copy-database.ts";
import type { TableDigest } from "../../store/copy/digest-table.ts";
import { DatabaseProblem } from "../../store/schema/database-problem.ts";
import { openSchema } from "../../store/schema/open-schema.ts";
import { parseDatabaseUrl } from "../../store/sqlite/database-url.ts";
import { requireDatabaseUrl } from "../named-database.ts";
import { countRows, onDatabase, whileAlone } from "./on-database.ts";

interface CopyOptions {
  readonly from?: string;
  readonly to?: string;
  readonly json?: true;
}

/** Adds the options of `trainyard copy`, and what it does. */
export function defineCopy(command: Command): void {
  command
    .option("--from <database>", "such as sqlite:trainyard.db", readDatabase)
    .option("--to <database>", "such as postgres://user:password@host/database", readDatabase)
    .option("--json", "print the rows and the hash of each table as JSON; the progress is on standard error")
    .addHelpText(
      "after",
      `
Copies everything in a database to an empty one, and compares both afterwards. No service may use either of them meanwhile. If it
is interrupted, the same command continues. If one option is missing, it is the database in DATABASE_URL, so a password need not be
an argument.`,
    )
    .action((options: CopyOptions) => {
      if (options.from === undefined && options.to === undefined)
        command.error("Say what to copy with --from and --to");
      return onDatabase(options, async (print) => {
        const from = options.from ?? requireDatabaseUrl();
        const to = options.to ?? requireDatabaseUrl();
        const [source, target] = [identifyDatabase(from), identifyDatabase(to)];
        if (source === target)
          throw new DatabaseProblem("COPY_TARGET_NOT_EMPTY", "--from and --to are the same database");
        const tables = Object.fromEntries(await copyAlone(from, to));
        print({ from: source, to: target, tables }, () => [
          "Everything was copied, and both databases are equal. Set DATABASE_URL to the new one.",
        ]);
        return 0;
      });
    });
}

function readDatabase(text: string): string {
  const { kind } = parseDatabaseUrl(text);
  if (kind !== "missing" && kind !== "unknown") return text;
  throw new InvalidArgumentError(
    "It must be a database, as in sqlite:trainyard.db or postgres://user:password@host/database.",
  );
}

async function copyAlone(from: string, to: string): Promise<ReadonlyMap<string, TableDigest>> {
  const source = await openSchema(from, "read");
  try {
    return await whileAlone(from, () =>
      whileAlone(to, async () => {
        const target = await openSchema(to, "write");
        const progress = new CopyProgress(process.stderr);
        try {
          return await copyDatabase(source, target, identifyDatabase(from), progress);
        } finally {
          progress.end();
          await target.db.destroy();
        }
      }),
    );
  } finally {
    await source.db.destroy();
  }
}

/** Identifies a database without its user and password. */
function identifyDatabase(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if (location.kind === "sqlite")
    return existsSync(location.path) ? realpathSync(location.path) : resolve(location.path);
  if (!URL.canParse(databaseUrl)) return "PostgreSQL";
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${hostname}:${port || "5432"}${pathname}`;
}

const everyMs = 200;

/** Shows the progress of a copy: in one line of a terminal, or in one line for each table. */
export class CopyProgress implements CopyListener {
  readonly #stream: NodeJS.WriteStream;
  #shownAt = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  began(how: "new" | "continued"): void {
    if (how === "continued") this.#print("continuing an interrupted copy");
  }

  copied(table: string, rows: number, total: number): void {
    const text = `${table}: ${rows} of ${countRows(total)}`;
    if (!this.#stream.isTTY) {
      if (rows === total && total > 0) this.#print(text);
      return;
    }
    if (rows < total && performance.now() - this.#shownAt < everyMs) return;
    this.#shownAt = performance.now();
    this.#stream.write(`\r\x1b[K${text}`);
  }

  verified(table: string, { rows, sha256 }: TableDigest): void {
    if (rows > 0)
      this.#print(
        `${table}: ${countRows(rows)} ${rows === 1 ? "is" : "are"} equal (sha256 ${sha256.slice(0, 12)})`,
      );
  }

  /** Clears the line. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\x1b[K");
  }

  #print(line: string): void {
    this.#stream.write(`${this.#stream.isTTY ? "\r\x1b[K" : ""}${line}\n`);
  }
}
