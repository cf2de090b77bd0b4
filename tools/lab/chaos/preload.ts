import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded into the service's process before the service itself. Moves the clock, and makes SQLite refuse writes with its own
 * means: a limit of pages, as a full disk has, and a connection that only reads.
 */

/** The faults inside the process of a service. */
export interface ProcessFaults {
  /** The operations that the SQLite database refuses. */
  readonly store: "disk_full" | "read_only" | null;
  /** How far the clock is ahead; negative = behind. */
  readonly clockMs: number;
}

export const noFaults: ProcessFaults = { store: null, clockMs: 0 };

/** The variable that names the file from which the process reads its faults. */
export const fileVariable = "TRAINYARD_CHAOS_FILE";

export function writeProcessFaults(file: string, faults: ProcessFaults): void {
  writeFileSync(file, JSON.stringify(faults));
}

function readProcessFaults(file: string): ProcessFaults {
  const text = readFileSync(file, "utf8");
  // A file that is being written is empty.
  return text === "" ? noFaults : (JSON.parse(text) as ProcessFaults);
}

const file = process.env[fileVariable];
const everyMs = 20;
/** SQLite's own maximum. */
const mostPages = 4_294_967_294;

let now: ProcessFaults = noFaults;

function readAgain(path: string): void {
  now = readProcessFaults(path);
}

function moveClock(): void {
  const RealDate = Date;
  const clock = () => RealDate.now() + now.clockMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values: unknown[], asked) =>
      Reflect.construct(target, values.length === 0 ? [clock()] : values, asked),
    apply: () => new RealDate(clock()).toString(),
    get: (target, name) => (name === "now" ? clock : Reflect.get(target, name)),
  });
}

/** Makes each transaction begin with the current faults of the database. */
function disturbSqlite(): void {
  const applied = new WeakMap<DatabaseSync, ProcessFaults["store"]>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql, options) {
    const statement = prepare.call(this, sql, options);
    if (sql !== "begin immediate") return statement;
    const begin = statement.run.bind(statement);
    statement.run = () => {
      if ((applied.get(this) ?? null) !== now.store) refuse(this, now.store);
      applied.set(this, now.store);
      return begin();
    };
    return statement;
  };

  function refuse(database: DatabaseSync, store: ProcessFaults["store"]): void {
    database.exec(`pragma query_only = ${store === "read_only" ? 1 : 0}`);
    const used = prepare.call(database, "pragma page_count").get()?.page_count;
    database.exec(`pragma max_page_count = ${store === "disk_full" ? used : mostPages}`);
  }
}

if (isMainThread && file !== undefined) {
  readAgain(file);
  setInterval(() => readAgain(file), everyMs).unref();
  moveClock();
  disturbSqlite();
}
